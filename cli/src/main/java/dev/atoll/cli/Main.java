package dev.atoll.cli;

import dev.atoll.model.AtollException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The entry point of {@code atoll}. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its code. */
  public static void main(String[] args) {
    Stdio stdio = Stdio.system();
    int status = run(args, new Session(stdio, Interrupts.ofProcess()));
    System.exit(status);
  }

  /** Runs a command; whatever goes wrong becomes a short message and an exit code. */
  static int run(String[] args, Session session) {
    Stdio stdio = session.stdio();
    CommandLine line = Catalogue.commandLine(args, session);
    Ansi ansi = stdio.colour() ? Ansi.ON : Ansi.OFF;
    int status =
        line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
            .setOut(new PrintWriter(stdio.out(), true, StandardCharsets.UTF_8))
            .setErr(new PrintWriter(stdio.err(), true, StandardCharsets.UTF_8))
            .setParameterExceptionHandler((e, _) -> usage(e, stdio))
            .setExecutionExceptionHandler((e, _, _) -> failed(e, stdio))
            .execute(args);
    stdio.out().flush();
    stdio.err().flush();
    return status;
  }

  private static int usage(Exception e, Stdio stdio) {
    stdio.message(FailureMessage.of(e));
    return ExitCode.USAGE;
  }

  private static int failed(Exception e, Stdio stdio) {
    if (e instanceof UsageException) {
      return usage(e, stdio);
    }
    if (stdio.debug()) {
      e.printStackTrace(stdio.err());
    }
    stdio.message(FailureMessage.of(e));
    if (e instanceof AtollException failure && failure.hint() != null) {
      stdio.err().println("       " + failure.hint());
    }
    return ExitCode.ATOLL_FAILED;
  }
}
