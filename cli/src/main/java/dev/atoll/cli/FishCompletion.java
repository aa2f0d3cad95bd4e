package dev.atoll.cli;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish: a line for each thing that can be offered, and where. */
final class FishCompletion {
  private static final String START =
      """
      # Completion of atoll for fish.
      function __atoll_at
          set -l words (commandline -opc)
          set -e words[1]
          set -l said
          for word in $words
              string match -q -- '-*' $word; or set -a said $word
          end
          set -l count (count $argv)
          test (count $said) -ge $count; or return 1
          test $count -eq 0; or test "$said[1..$count]" = "$argv"
      end
      function __atoll_ends
          __atoll_at $argv; and test (commandline -opc | string match -v -- '-*' | count) -eq (math (count $argv) + 1)
      end
      complete -c atoll -f
      """;

  private final StringBuilder script = new StringBuilder(START);

  String script(CommandLine whole) {
    describe(List.of(), whole);
    return script.toString();
  }

  private void describe(List<String> path, CommandLine command) {
    String here = "__atoll_at " + String.join(" ", path);
    command
        .getSubcommands()
        .forEach(
            (name, sub) ->
                line(
                    "__atoll_ends " + String.join(" ", path),
                    "-a " + name + " -d " + quoted(summary(sub))));
    if (!path.isEmpty()) {
      command.getCommandSpec().options().forEach(option -> line(here, option(option)));
      command.getCommandSpec().positionalParameters().stream()
          .map(FishCompletion::offered)
          .distinct()
          .filter(offer -> !offer.isEmpty())
          .forEach(offer -> line(here, offer));
    }
    command
        .getSubcommands()
        .forEach(
            (name, sub) -> describe(Stream.concat(path.stream(), Stream.of(name)).toList(), sub));
  }

  private static String option(OptionSpec option) {
    StringBuilder text = new StringBuilder();
    for (String name : option.names()) {
      text.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
      text.append(' ');
    }
    if (option.arity().min() > 0) {
      String offer = offered(option);
      text.append(offer.equals("-F") ? "-r -F " : "-x " + (offer.isEmpty() ? "" : offer + " "));
    }
    String[] description = option.description();
    return text + "-d " + quoted(description.length == 0 ? "" : description[0]);
  }

  private static String offered(ArgSpec argument) {
    return switch (CompletionValues.of(argument)) {
      case CompletionValues.Names names -> "-a '(atoll " + names.command() + " 2>/dev/null)'";
      case CompletionValues.Words words -> "-a '" + String.join(" ", words.words()) + "'";
      case CompletionValues.Files _ -> "-F";
      case CompletionValues.Places _ -> "-F -a '(atoll ls --quiet 2>/dev/null | sed \"s/.*/&:/\")'";
      case CompletionValues.Anything _ -> "";
    };
  }

  private static String summary(CommandLine command) {
    String[] description = command.getCommandSpec().usageMessage().description();
    return description.length == 0 ? "" : description[0];
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private void line(String where, String what) {
    script
        .append("complete -c atoll -n '")
        .append(where.strip())
        .append("' ")
        .append(what)
        .append('\n');
  }
}
