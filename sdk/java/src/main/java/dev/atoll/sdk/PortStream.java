package dev.atoll.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a port of a sandbox, whatever the program there speaks. Both directions go at the
 * pace of the slower side.
 *
 * <p>One thread reads {@link #input()}, another may write to {@link #output()}.
 */
public final class PortStream implements AutoCloseable {
  private static final Duration OPEN_TIME = Duration.ofSeconds(30);
  private static final String EOF = "eof";
  private static final int PART = 32 << 10;

  private final Arriving arriving;
  private final WebSocket socket;
  private final Leaving leaving = new Leaving();

  private PortStream(Arriving arriving, WebSocket socket) {
    this.arriving = arriving;
    this.socket = socket;
  }

  static PortStream open(HttpClient http, Api api, String path) {
    Endpoint endpoint = api.endpoint();
    Arriving arriving = new Arriving();
    try {
      WebSocket socket =
          http.newWebSocketBuilder()
              .connectTimeout(OPEN_TIME)
              .header("Authorization", "Bearer " + endpoint.apiKey())
              .buildAsync(endpoint.webSocket(path), arriving)
              .join();
      return new PortStream(arriving, socket);
    } catch (CompletionException e) {
      // The handshake does not tell why it was refused; asked in plain HTTP, the server does.
      api.send(ApiRequest.get(path));
      throw new ConnectionException(
          "cannot connect to the port through " + endpoint.url(), "try again", e.getCause());
    }
  }

  /** What the program sends; ends when the program ends its side, and fails if it breaks off. */
  public InputStream input() {
    return arriving.frames;
  }

  /** What the program reads; closing it ends this side, and the program may go on to send. */
  public OutputStream output() {
    return leaving;
  }

  /** Hangs up; if one side had not ended, the program sees that the connection broke. */
  @Override
  public void close() {
    arriving.frames.fail(new EOFException("the connection was closed"));
    socket.abort();
  }

  /** What the server sends. */
  private static final class Arriving implements WebSocket.Listener {
    private final SocketFrames frames = new SocketFrames();

    @Override
    public void onOpen(WebSocket webSocket) {
      frames.open(webSocket);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(
        WebSocket webSocket, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      frames.add(bytes);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(
        WebSocket webSocket, CharSequence data, boolean last) {
      frames.end();
      webSocket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int status, String reason) {
      if (status == WebSocket.NORMAL_CLOSURE) {
        frames.end();
      } else {
        frames.fail(new EOFException(reason.isEmpty() ? "the connection broke" : reason));
      }
      return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
      frames.fail(new IOException("the connection to the server broke", error));
    }
  }

  /** What is sent to the server; each part waits for the one before. */
  private final class Leaving extends OutputStream {
    private boolean ended;

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (ended) {
        throw new IOException("this side of the connection has ended");
      }
      for (int done = 0; done < length; done += PART) {
        int size = Math.min(PART, length - done);
        ByteBuffer part = ByteBuffer.wrap(bytes, offset + done, size);
        send(() -> socket.sendBinary(part, true).join());
      }
    }

    @Override
    public void close() throws IOException {
      if (!ended) {
        ended = true;
        send(() -> socket.sendText(EOF, true).join());
      }
    }

    private void send(Runnable sending) throws IOException {
      try {
        sending.run();
      } catch (CompletionException e) {
        throw new IOException("the connection to the port broke", e.getCause());
      }
    }
  }
}
