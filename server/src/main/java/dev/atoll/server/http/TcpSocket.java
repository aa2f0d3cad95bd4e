package dev.atoll.server.http;

import dev.atoll.engine.net.PortConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a port, carried by a WebSocket: binary frames are its bytes, and the text {@code
 * eof} ends one direction. When both have ended, the WebSocket is closed; when the connection
 * breaks, it is closed with an error. The next frame of the caller is asked for when the program
 * has taken the one before.
 *
 * <p>Public only because Jetty calls it by reflection.
 */
public final class TcpSocket implements Session.Listener {
  private static final Logger log = LoggerFactory.getLogger(TcpSocket.class);
  private static final String EOF = "eof";
  private static final int MAX_REASON = 100;

  private final PortConnection connection;
  private final AtomicInteger directions = new AtomicInteger(2);
  private volatile @Nullable Session session;

  TcpSocket(PortConnection connection) {
    this.connection = connection;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    session = opened;
    // The engine closes what is silent for too long.
    opened.setIdleTimeout(Duration.ZERO);
    Thread.ofVirtual().name("tcp-out").start(() -> carryOut(opened));
    opened.demand();
  }

  @Override
  public void onWebSocketPartialBinary(ByteBuffer payload, boolean last, Callback callback) {
    ByteBuffer bytes = ByteBuffer.allocate(payload.remaining()).put(payload).flip();
    callback.succeed();
    later(() -> connection.write(bytes));
  }

  @Override
  public void onWebSocketText(String message) {
    if (!message.equals(EOF)) {
      close(StatusCode.BAD_PAYLOAD, "the only text frame is " + EOF);
      return;
    }
    later(
        () -> {
          connection.end();
          ended();
        });
  }

  @Override
  public void onWebSocketClose(int status, String reason, Callback callback) {
    connection.close();
    callback.succeed();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    log.debug("a connection to a port broke off", cause);
    connection.close();
  }

  private interface Input {
    void carry() throws IOException;
  }

  /** Does something that may block, then asks for the next frame. */
  private void later(Input input) {
    Thread.ofVirtual()
        .name("tcp-in")
        .start(
            () -> {
              try {
                input.carry();
                Session current = session;
                if (current != null && current.isOpen()) {
                  current.demand();
                }
              } catch (IOException e) {
                broken(e);
              }
            });
  }

  private void carryOut(Session to) {
    try {
      for (ByteBuffer bytes = connection.read(); bytes != null; bytes = connection.read()) {
        ByteBuffer part = bytes;
        await(done -> to.sendBinary(part, done));
      }
      await(done -> to.sendText(EOF, done));
      ended();
    } catch (IOException e) {
      broken(e);
    } catch (CompletionException e) {
      log.debug("a connection to a port is no longer listened to", e);
      connection.close();
    }
  }

  private void ended() {
    if (directions.decrementAndGet() == 0) {
      close(StatusCode.NORMAL, null);
    }
  }

  private void broken(IOException e) {
    String reason = String.valueOf(e.getMessage());
    close(
        StatusCode.SERVER_ERROR,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
    connection.close();
  }

  /** Waits until the connection has taken what is sent. */
  private static void await(Consumer<Callback> send) {
    Callback.Completable done = new Callback.Completable();
    send.accept(done);
    done.join();
  }

  private void close(int status, @Nullable String reason) {
    Session current = session;
    if (current != null) {
      current.close(status, reason, Callback.NOOP);
    }
  }
}
