package dev.atoll.sdk;

import dev.atoll.model.ProcessInfo;
import dev.atoll.model.SignalRequest;
import dev.atoll.model.TerminalSize;
import dev.atoll.sdk.transport.HttpBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that runs in the background of a sandbox. Thread-safe. */
public final class RemoteProcess {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final RunOrigin origin;
  private final String id;
  private final int pid;

  RemoteProcess(RunOrigin origin, String id, int pid) {
    this.origin = origin;
    this.id = id;
    this.pid = pid;
  }

  /** The id of its run, {@code run_…}. */
  public String id() {
    return id;
  }

  /** Its process id inside the sandbox. */
  public int pid() {
    return pid;
  }

  /** What the server knows of it now. */
  public ProcessInfo info() {
    return origin.api().call(ApiRequest.get(path()), ProcessInfo.class);
  }

  /** Its events from the first byte of output on, followed to its end. */
  public RunStream events() {
    return events(0);
  }

  /**
   * Its events from an output offset on. While the stream is open the process waits for whoever
   * reads it; closing it leaves the process alone.
   */
  public RunStream events(long fromOffset) {
    return RunStream.hold(origin, id, fromOffset);
  }

  /** Writes to its standard input, which must have been kept open. */
  public void write(byte[] bytes) {
    stdin(bytes, false);
  }

  /** Writes to its standard input, which must have been kept open. */
  public void write(String text) {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Ends its standard input. */
  public void closeStdin() {
    stdin(new byte[0], true);
  }

  /** Sends it a signal, such as {@code SIGINT}. */
  public void signal(String name) {
    post("/signal", new SignalRequest(name, null));
  }

  /** Sends a signal to it and all its descendants. */
  public void signalTree(String name) {
    post("/signal", new SignalRequest(name, true));
  }

  /** Tells it the new size of its terminal. */
  public void resize(int rows, int columns) {
    post("/resize", new TerminalSize(rows, columns));
  }

  /** Waits for its end, at most that long; the answer says whether it is still running. */
  public ProcessInfo waitFor(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Duration wait = left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT;
      ProcessInfo info =
          origin
              .api()
              .call(
                  ApiRequest.get(path() + "/wait")
                      .query("timeoutSeconds", Seconds.of(wait))
                      .timeout(wait.plus(GRACE)),
                  ProcessInfo.class);
      if (!info.running() || System.nanoTime() >= deadline) {
        return info;
      }
    }
  }

  /** Kills it and its descendants; its output stays readable. */
  public void kill() {
    origin.cancel(id);
  }

  /** Kills it and its descendants, and forgets it. */
  public void remove() {
    origin.api().send(ApiRequest.delete(path()));
  }

  private void stdin(byte[] bytes, boolean eof) {
    ApiRequest request =
        ApiRequest.post(path() + "/stdin")
            .query("eof", eof)
            .bytes(HttpBody.of(bytes), "application/octet-stream");
    // Ending the input twice is like ending it once; bytes would arrive twice.
    origin.api().send(eof && bytes.length == 0 ? request.harmlessToRepeat() : request);
  }

  private void post(String operation, Object body) {
    origin.api().send(ApiRequest.post(path() + operation).json(body));
  }

  private String path() {
    return origin.sandboxPath() + "/processes/" + ApiRequest.segment(id);
  }
}
