package dev.atoll.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

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
        .setParameterExceptionHandler((e, _) -> Main.usage(e, stdio))
        .setExecutionExceptionHandler((e, _, _) -> Main.failed(e, stdio))
        .execute(args);
  }
}
