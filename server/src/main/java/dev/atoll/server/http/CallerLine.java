package dev.atoll.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;

/**
 * The connection of a caller who waits for a run, once his request was read to its end. Tells when
 * he has hung up, and lets him take his time.
 *
 * <p>Jetty does not read from an HTTP/1.1 connection while a request is answered, so nobody else
 * would see its end before something is written. Bytes that come meanwhile begin the next request
 * and are given to Jetty. It must be closed before the last write of the answer, since Jetty reads
 * again from then on.
 */
final class CallerLine implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final int NEXT_REQUEST = 1024;

  private final Connection connection;
  private final EndPoint endPoint;
  private final boolean readable;
  private final long idleTimeout;
  private boolean open = true;
  private volatile boolean gone;

  CallerLine(Exchange exchange) {
    Request request = exchange.request();
    connection = request.getConnectionMetaData().getConnection();
    endPoint = connection.getEndPoint();
    idleTimeout = endPoint.getIdleTimeout();
    readable = request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2;
    if (!readable) {
      request.addFailureListener(_ -> gone = true);
    }
  }

  /**
   * A reader may pause for as long as he likes, as at the end of a pipe. One whose machine has gone
   * is found out by TCP. Several streams share a connection of HTTP/2, whose time stays as it is.
   */
  void waitForReader() {
    if (readable) {
      endPoint.setIdleTimeout(0);
    }
  }

  /** Looks whether he has hung up; false once this is closed. */
  synchronized boolean isGone() {
    if (open && readable && !gone) {
      gone = hungUp();
    }
    return open && gone;
  }

  private boolean hungUp() {
    ByteBuffer next = BufferUtil.allocate(NEXT_REQUEST);
    try {
      int count = endPoint.fill(next);
      if (count > 0 && connection instanceof Connection.UpgradeTo jetty) {
        jetty.onUpgradeTo(next);
      }
      // More would not fit into Jetty's buffer, and who asks on is there.
      open &= count <= 0;
      return count < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Does something once if he hangs up before this is closed. */
  void whenGone(Runnable action) {
    Thread.ofVirtual()
        .name("caller-line")
        .start(
            () -> {
              // Most are answered before the first look, and need not pay for one.
              do {
                pause();
              } while (watch(action));
            });
  }

  private synchronized boolean watch(Runnable action) {
    if (isGone()) {
      action.run();
      return false;
    }
    return open;
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether he was found to have hung up. */
  boolean wasGone() {
    return gone;
  }

  @Override
  public synchronized void close() {
    open = false;
    if (readable) {
      endPoint.setIdleTimeout(idleTimeout);
    }
  }
}
