package dev.atoll.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Python read-eval-print loop in a gVisor sandbox with nothing of Atoll in it: one line of a
 * JSON-like string in, one line out.
 */
final class RawSandbox implements AutoCloseable {
  private final RawRunsc runsc;
  private final String id;
  private final Process process;
  private final BufferedWriter input;
  private final BufferedReader output;

  RawSandbox(RawRunsc runsc, String id, List<String> command) throws IOException {
    this.runsc = runsc;
    this.id = id;
    // The bench itself is trusted and runs as the user who started it; nothing of a guest reaches
    // this command line.
    this.process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  String id() {
    return id;
  }

  long pid() {
    return process.pid();
  }

  /** Evaluates an expression, or executes a statement, on one line. */
  String ask(String python) throws IOException {
    input.write(python);
    input.write('\n');
    input.flush();
    String answer = output.readLine();
    if (answer == null) {
      throw new IOException("the raw sandbox has ended");
    }
    return answer;
  }

  /** Reads and drops that many characters of output. */
  void skip(long characters) throws IOException {
    char[] buffer = new char[1 << 16];
    for (long left = characters; left > 0; ) {
      int n = output.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (n < 0) {
        throw new IOException("the raw sandbox has ended");
      }
      left -= n;
    }
  }

  void checkpoint(Path image) throws IOException, InterruptedException {
    runsc.run(
        "checkpoint",
        "--leave-running",
        "--compression=none",
        "--image-path",
        image.toString(),
        id);
  }

  @Override
  public void close() {
    try {
      runsc.run("kill", id, "KILL");
      runsc.run("delete", "--force", id);
      process.waitFor(20, TimeUnit.SECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
