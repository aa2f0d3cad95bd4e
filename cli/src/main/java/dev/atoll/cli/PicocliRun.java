package dev.atoll.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        .setParameterExceptionHandler((e, _) -> misused(e, stdio))
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

  private static int misused(ParameterException e, Stdio stdio) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unknown(unmatched, stdio);
    }
    return Main.usage(e, stdio);
  }

  /** The best command; options are only told by how they begin, so all that do. */
  private static String nearest(List<String> near, boolean option) {
    return option ? String.join(" or ", near) : near.get(0);
  }

  /** Names what was probably meant, and where to look. */
  private static int unknown(UnmatchedArgumentException e, Stdio stdio) {
    String path = e.getCommandLine().getCommandSpec().qualifiedName();
    String word = e.getUnmatched().isEmpty() ? "" : e.getUnmatched().get(0);
    boolean option = word.startsWith("-");
    boolean group = !e.getCommandLine().getSubcommands().isEmpty();
    String kind = option ? "option" : group ? "command" : "room for";
    stdio.message(path + " has no " + kind + " " + word);
    List<String> near = e.getSuggestions();
    String help = path.equals("atoll") ? "atoll help" : path + " --help";
    stdio
        .err()
        .println(
            "       "
                + (near.isEmpty() ? "" : "did you mean " + nearest(near, option) + "? ")
                + "See "
                + help);
    return ExitCode.USAGE;
  }
}
