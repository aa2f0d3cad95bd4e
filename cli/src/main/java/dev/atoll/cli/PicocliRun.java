package dev.atoll.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs any command through picocli. Apart from {@link Main}, so that a plain run never loads it.
 */
final class PicocliRun {
  private PicocliRun() {}

  static int run(String[] args, Session session) {
    Stdio stdio = session.stdio();
    Ansi ansi = stdio.colour() ? Ansi.ON : Ansi.OFF;
    return Catalogue.commandLine(args, session)
        .setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
        .setOut(new PrintWriter(stdio.out(), true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(stdio.err(), true, StandardCharsets.UTF_8))
        .setExpandAtFiles(false)
        .setParameterExceptionHandler((e, all) -> misused(e, all, stdio))
        .setExecutionExceptionHandler((e, _, _) -> Main.failed(e, stdio))
        .setExecutionStrategy(parsed -> execute(parsed, session))
        .execute(args);
  }

  private static int execute(ParseResult parsed, Session session) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    boolean prints = last.commandSpec().userObject() instanceof ListingCommand;
    if (session.output() == OutputForm.json && !prints) {
      throw new ParameterException(
          last.commandSpec().commandLine(),
          last.commandSpec().qualifiedName() + " has no JSON output");
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static int misused(ParameterException e, String[] args, Stdio stdio) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unknown(unmatched, args, stdio);
    }
    return Main.usage(e, stdio);
  }

  /** Names what was probably meant, and where to look. */
  private static int unknown(UnmatchedArgumentException e, String[] args, Stdio stdio) {
    String path = e.getCommandLine().getCommandSpec().qualifiedName();
    String word = e.getUnmatched().isEmpty() ? "" : e.getUnmatched().get(0);
    boolean option = word.startsWith("-");
    boolean group = !e.getCommandLine().getSubcommands().isEmpty();
    String kind = option ? "option" : group ? "command" : "room for";
    stdio.message(path + " has no " + kind + " " + word);
    String help = path.equals("atoll") ? "atoll help" : path + " --help";
    stdio.err().println("       " + meant(e, word, args) + "See " + help);
    return ExitCode.USAGE;
  }

  /** The best command; options are only told by how they begin, so all that do. */
  private static String meant(UnmatchedArgumentException e, String word, String[] args) {
    CommandLine command = e.getCommandLine();
    if (!word.startsWith("-")) {
      return ForeignWords.meant(word, command.getSubcommands().keySet())
          .map(near -> "did you mean " + near + "? ")
          .orElse("");
    }
    if (command.getCommand() instanceof ExecCommand && !List.of(args).contains("--")) {
      return "what belongs to the program goes after --: " + separated(args) + ". ";
    }
    List<String> near = e.getSuggestions();
    return near.isEmpty() ? "" : "did you mean " + String.join(" or ", near) + "? ";
  }

  /** The same command with {@code --} where the program begins, if that can be told. */
  private static String separated(String[] args) {
    boolean plain = args.length > 2 && args[0].equals("exec");
    if (!plain || args[1].startsWith("-") || args[2].startsWith("-")) {
      return "atoll exec SANDBOX -- ls -l";
    }
    return Stream.concat(
            Stream.of("atoll", "exec", args[1], "--"), Arrays.stream(args, 2, args.length))
        .map(PicocliRun::quoted)
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String word) {
    return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
