package dev.atoll.cli;

import dev.atoll.model.TerminalSize;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The terminal that this program runs in, put into raw mode and always put back: at close, and by a
 * shutdown hook if the program is told to stop.
 */
final class LocalTerminal implements AutoCloseable {
  private static final File DEVICE = new File("/dev/tty");

  private final Optional<String> saved;
  private final Thread hook = new Thread(this::restore, "atoll-restore-terminal");

  private LocalTerminal(Optional<String> saved) {
    this.saved = saved;
  }

  /** Every key goes to the guest, Ctrl-C too. */
  static LocalTerminal raw() {
    LocalTerminal terminal = new LocalTerminal(stty("-g"));
    Runtime.getRuntime().addShutdownHook(terminal.hook);
    stty("raw", "-echo");
    return terminal;
  }

  /** What is typed is not shown. */
  static LocalTerminal silent() {
    LocalTerminal terminal = new LocalTerminal(stty("-g"));
    Runtime.getRuntime().addShutdownHook(terminal.hook);
    stty("-echo");
    return terminal;
  }

  /** Its size, or 24 by 80 when that cannot be found out. */
  static TerminalSize size() {
    return stty("size").flatMap(LocalTerminal::parse).orElse(new TerminalSize(24, 80));
  }

  static Optional<TerminalSize> parse(String rowsAndColumns) {
    String[] parts = rowsAndColumns.strip().split(" ", -1);
    if (parts.length != 2 || !parts[0].matches("[1-9][0-9]{0,3}")) {
      return Optional.empty();
    }
    return parts[1].matches("[1-9][0-9]{0,3}")
        ? Optional.of(new TerminalSize(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])))
        : Optional.empty();
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running already.
    }
  }

  private void restore() {
    saved.ifPresentOrElse(LocalTerminal::stty, () -> stty("sane"));
  }

  /** Fixed arguments, no shell; the terminal is handed to it as its standard input. */
  private static Optional<String> stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(DEVICE)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      byte[] output = process.getInputStream().readAllBytes();
      return process.waitFor() == 0
          ? Optional.of(new String(output, StandardCharsets.UTF_8).strip())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
