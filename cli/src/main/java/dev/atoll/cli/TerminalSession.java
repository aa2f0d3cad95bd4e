package dev.atoll.cli;

import dev.atoll.model.RunEvent;
import dev.atoll.model.TerminalSize;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.CommandOptions;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Connects the local terminal with a program in a sandbox until that ends. */
final class TerminalSession {
  /** The program ends so long after this one, should that be killed. */
  private static final Duration RECONNECT = Duration.ofSeconds(10);

  private final Stdio stdio;

  TerminalSession(Stdio stdio) {
    this.stdio = stdio;
  }

  /** Runs a program with nothing said about how, and returns its exit code. */
  int run(Sandbox sandbox, List<String> argv) {
    return run(sandbox, argv, options -> {});
  }

  /** Runs the program and returns its exit code; a TERM that is given counts more than ours. */
  int run(Sandbox sandbox, List<String> argv, Consumer<CommandOptions> options) {
    TerminalSize size = LocalTerminal.size();
    String type = stdio.environment().getOrDefault("TERM", "xterm-256color");
    Optional<RunEvent.End> end;
    try (Terminal terminal =
            sandbox.terminal(
                argv,
                c ->
                    options.accept(
                        c.pty(size.rows(), size.columns())
                            .env("TERM", type)
                            .reconnect(RECONNECT)));
        LocalTerminal _ = LocalTerminal.raw()) {
      Signals.handle("WINCH", () -> resize(terminal));
      Signals.handle("TERM", terminal.process()::kill);
      Signals.handle("HUP", terminal.process()::kill);
      Thread keys = new Thread(() -> type(terminal), "atoll-keys");
      keys.setDaemon(true);
      keys.start();
      show(terminal.output());
      end = terminal.waitFor(Duration.ofSeconds(10));
    }
    return end.map(this::code).orElse(ExitCode.ATOLL_FAILED);
  }

  private int code(RunEvent.End end) {
    RunPrinter.tell(end.status(), end.message(), stdio);
    return ExitCode.of(end.status(), end.exitCode());
  }

  private static void resize(Terminal terminal) {
    TerminalSize size = LocalTerminal.size();
    try {
      terminal.resize(size.rows(), size.columns());
    } catch (ApiException e) {
      // The program has just ended.
    }
  }

  private void type(Terminal terminal) {
    byte[] buffer = new byte[4096];
    try {
      for (int count = stdio.in().read(buffer); count >= 0; count = stdio.in().read(buffer)) {
        terminal.write(Arrays.copyOf(buffer, count));
      }
    } catch (IOException | ApiException e) {
      // The program has ended, or there is nobody at the keyboard any more.
    }
  }

  private void show(InputStream output) {
    byte[] buffer = new byte[16 << 10];
    try {
      for (int count = output.read(buffer); count >= 0; count = output.read(buffer)) {
        stdio.out().write(buffer, 0, count);
        stdio.out().flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
