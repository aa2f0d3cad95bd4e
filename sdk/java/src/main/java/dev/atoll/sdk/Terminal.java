package dev.atoll.sdk;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import dev.atoll.model.TerminalSize;
import java.io.EOFException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program in a sandbox with a terminal, connected both ways.
 *
 * <p>One thread reads {@link #output()}, another may write.
 */
public final class Terminal implements AutoCloseable {
  private static final Duration OPEN_TIME = Duration.ofSeconds(30);
  private static final TerminalSize DEFAULT_SIZE = new TerminalSize(24, 80);

  private final RemoteProcess process;
  private final TerminalOutput output;
  private final WebSocket socket;
  private CompletableFuture<WebSocket> sent;
  private boolean detached;

  private Terminal(RemoteProcess process, TerminalOutput output, WebSocket socket) {
    this.process = process;
    this.output = output;
    this.socket = socket;
    this.sent = CompletableFuture.completedFuture(socket);
  }

  static void defaultSize(CommandOptions options) {
    options.ptyIfAbsent(DEFAULT_SIZE);
  }

  static Terminal open(Api api, String sandboxPath, RemoteProcess process) {
    Endpoint endpoint = api.endpoint();
    String path = sandboxPath + "/processes/" + ApiRequest.segment(process.id()) + "/pty?from=0";
    TerminalOutput output = new TerminalOutput();
    try {
      WebSocket socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .connectTimeout(OPEN_TIME)
              .header("Authorization", "Bearer " + endpoint.apiKey())
              .buildAsync(endpoint.webSocket(path), output)
              .join();
      return new Terminal(process, output, socket);
    } catch (CompletionException e) {
      process.kill();
      throw new ConnectionException(
          "cannot open the terminal at " + endpoint.url(), "try again", e.getCause());
    }
  }

  /** The process behind the terminal. */
  public RemoteProcess process() {
    return process;
  }

  /** What the terminal shows; ends when the program does or the connection breaks. */
  public InputStream output() {
    return output.stream();
  }

  /** Types into the terminal. */
  public synchronized void write(byte[] bytes) {
    ByteBuffer copy = ByteBuffer.wrap(bytes.clone());
    sent = await(sent).sendBinary(copy, true);
  }

  /** Tells the program the terminal's new size. */
  public synchronized void resize(int rows, int columns) {
    String message = Json.lenient().writeValueAsString(new TerminalSize(rows, columns));
    sent = await(sent).sendText(message, true);
  }

  /** How the program ended, if it did within that time. */
  public Optional<RunEvent.End> waitFor(Duration timeout) {
    try {
      return Optional.of(output.end().get(timeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(e);
    } catch (ExecutionException e) {
      throw new ConnectionException(
          "the connection to the terminal broke",
          "the program goes on; look for " + process.id(),
          e.getCause());
    }
  }

  /** From now on {@link #close()} leaves the program running. */
  public void detach() {
    detached = true;
  }

  /** Hangs up; a program that is still running is killed, unless it was detached. */
  @Override
  public void close() {
    boolean running = !output.end().isDone();
    socket.abort();
    output.finish(new EOFException("hung up"));
    if (!detached && running) {
      process.kill();
    }
  }

  private static WebSocket await(CompletableFuture<WebSocket> before) {
    try {
      return before.orTimeout(OPEN_TIME.toSeconds(), TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw new ConnectionException(
          "the connection to the terminal broke", "open another one", e.getCause());
    }
  }
}
