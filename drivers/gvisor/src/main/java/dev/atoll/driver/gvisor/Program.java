package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a program of the host to its end, within a deadline. */
final class Program {
  private static final int TAIL = 4096;

  /**
   * What became of it.
   *
   * @param status exit status, or -1 when the deadline passed and it was killed
   * @param output the end of what it printed
   */
  record Result(int status, String output) {
    String describe() {
      String how = status == -1 ? "did not end in time" : "ended with status " + status;
      return output.isBlank() ? how : how + ": " + output.strip();
    }
  }

  private Program() {}

  static Result run(List<String> command, Duration timeout) {
    try {
      Process process = builder(command).redirectErrorStream(true).start();
      CompletableFuture<String> output = new CompletableFuture<>();
      Thread.startVirtualThread(() -> output.complete(tail(process.getInputStream())));
      return new Result(await(process, timeout), output.get(1, TimeUnit.SECONDS));
    } catch (IOException e) {
      throw cannotRun(command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while running " + command);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      throw cannotRun(command, e);
    }
  }

  /** A program with an empty environment: the server's own may hold secrets. */
  static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    return builder;
  }

  /** The status, or -1 after the deadline; the process has ended either way. */
  static int await(Process process, Duration timeout) throws InterruptedException {
    boolean ended = false;
    try {
      ended = process.waitFor(timeout);
      return ended ? process.exitValue() : -1;
    } finally {
      if (!ended) {
        // Safe: a child of this process, which still holds its pid.
        process.destroyForcibly();
      }
    }
  }

  static AtollException cannotRun(List<String> command, Exception cause) {
    return new AtollException(
        ErrorCode.DRIVER_UNAVAILABLE,
        "cannot run " + command.getFirst() + ": " + cause.getMessage(),
        "Check that the program exists and may be executed.",
        Map.of(),
        cause);
  }

  private static String tail(InputStream in) {
    byte[] kept = new byte[0];
    byte[] chunk = new byte[TAIL];
    try (in) {
      for (int n = in.read(chunk); n > 0; n = in.read(chunk)) {
        byte[] all = Arrays.copyOf(kept, kept.length + n);
        System.arraycopy(chunk, 0, all, kept.length, n);
        kept = Arrays.copyOfRange(all, Math.max(0, all.length - TAIL), all.length);
      }
    } catch (IOException e) {
      // Killed after its deadline: what was read so far is all there is.
    }
    return new String(kept, StandardCharsets.UTF_8);
  }
}
