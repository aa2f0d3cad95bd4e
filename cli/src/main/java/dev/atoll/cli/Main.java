package dev.atoll.cli;

import dev.atoll.model.AtollException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
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
            .setOut(new PrintWriter(stdio.out(), true))
            .setErr(new PrintWriter(stdio.err(), true))
            .setParameterExceptionHandler((e, unused) -> usage(e.getMessage(), stdio))
            .setExecutionExceptionHandler((e, unused, result) -> failed(e, stdio))
            .execute(args);
    stdio.out().flush();
    stdio.err().flush();
    return status;
  }

  private static int usage(String message, Stdio stdio) {
    stdio.message(message);
    return ExitCode.USAGE;
  }

  private static int failed(Exception e, Stdio stdio) {
    if (e instanceof UsageException) {
      return usage(e.getMessage(), stdio);
    }
    if (stdio.debug()) {
      e.printStackTrace(stdio.err());
    }
    stdio.message(message(e));
    if (e instanceof AtollException failure && failure.hint() != null) {
      stdio.err().println("       " + failure.hint());
    }
    return ExitCode.ATOLL_FAILED;
  }

  private static String message(Exception e) {
    Throwable told = e instanceof UncheckedIOException io ? io.getCause() : e;
    boolean known = e instanceof AtollException || e instanceof UncheckedIOException;
    String text = told.getMessage();
    if (known && text != null && told instanceof NoSuchFileException) {
      return "no such file: " + text;
    }
    return known && text != null ? text : told.toString();
  }
}
