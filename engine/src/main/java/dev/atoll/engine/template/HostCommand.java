package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs a program on the host and shows its output line by line. */
final class HostCommand {
  private static final int KEPT_LINES = 20;
  private static final int PATIENCE_SECONDS = 10;

  private HostCommand() {}

  /** Runs it to its end, whatever else happens. */
  static void run(List<String> command, Consumer<String> line) {
    run(command, line, null);
  }

  /**
   * Runs it to its end, or until the build is cancelled.
   *
   * <p>Safe because the arguments come from recipes that passed {@link Recipe}'s checks and from
   * paths below the data directory; there is no shell in between.
   */
  static void run(List<String> command, Consumer<String> line, @Nullable BuildScope scope) {
    run(command, null, line, scope);
  }

  /**
   * The same with an environment of its own.
   *
   * @param environment null for the server's, without its settings
   */
  static void run(
      List<String> command,
      @Nullable Map<String, String> environment,
      Consumer<String> line,
      @Nullable BuildScope scope) {
    Deque<String> tail = new ArrayDeque<>();
    int status;
    Process process = null;
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().keySet().removeIf(name -> name.startsWith("ATOLL_"));
      if (environment != null) {
        builder.environment().clear();
        builder.environment().putAll(environment);
      }
      process = builder.start();
      process.getOutputStream().close();
      Process started = process;
      BuildScope.Stage stage = scope == null ? () -> {} : scope.stage(() -> stop(started));
      try (stage;
          BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
        for (String text = reader.readLine(); text != null; text = reader.readLine()) {
          tail.addLast(text);
          if (tail.size() > KEPT_LINES) {
            tail.removeFirst();
          }
          line.accept(text);
        }
        status = process.waitFor();
      }
    } catch (IOException e) {
      checkCancelled(scope);
      throw failed(command, e.getMessage() == null ? "" : e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(command, "interrupted", e);
    } finally {
      if (process != null) {
        kill(process);
      }
    }
    checkCancelled(scope);
    if (status != 0) {
      throw failed(command, "exit code " + status + "\n" + String.join("\n", tail), null);
    }
  }

  private static void checkCancelled(@Nullable BuildScope scope) {
    if (scope != null) {
      scope.check();
    }
  }

  /** Asks it to end, so that it can take its mounts away, and kills it when it does not. */
  private static void stop(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    try {
      boolean _ = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    children.forEach(ProcessHandle::destroyForcibly);
    kill(process);
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static AtollException failed(
      List<String> command, String why, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        command.getFirst() + " failed: " + why,
        "see the lines above; the network and the disk are the usual reasons",
        Map.of(),
        cause);
  }
}
