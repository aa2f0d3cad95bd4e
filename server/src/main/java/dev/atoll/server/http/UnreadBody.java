package dev.atoll.server.http;

import java.io.FilterInputStream;
import java.io.InputStream;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Deals with a body that nobody is going to read, because the request was refused before its end.
 *
 * <p>Closing a connection with unread data resets it, and the caller may then never see the answer.
 * So a little is read and dropped; who sends more than that is cut off.
 */
final class UnreadBody {
  private static final long ARRIVED = 256L << 10;
  private static final long MOST = 32L << 20;
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration POLL = Duration.ofMillis(2);

  private UnreadBody() {}

  /**
   * The body as a stream that may be closed before its end. The server's own would then fail the
   * connection, with the answer, while the caller is still sending.
   */
  static InputStream stream(Request request) {
    return new FilterInputStream(Content.Source.asInputStream(request)) {
      @Override
      public void close() {
        // What is left is for those who answer.
      }
    };
  }

  /** Whether there is a body whose end has not arrived; what has arrived is dropped. */
  static boolean exists(Request request) {
    long dropped = 0;
    while (dropped < ARRIVED) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        return true;
      }
      dropped += chunk.remaining();
      if (ended(chunk)) {
        return false;
      }
    }
    return true;
  }

  /** Says that the connection ends with this answer. */
  static void announceClose(Response response) {
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
  }

  /** Reads and drops for a short time; who asked whether to send a body is not waited for. */
  static void drop(Request request) throws InterruptedException {
    if (request.getHeaders().contains(HttpHeader.EXPECT)) {
      return;
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long dropped = 0;
    while (dropped < MOST && System.nanoTime() < deadline) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        Thread.sleep(POLL);
        continue;
      }
      dropped += chunk.remaining();
      if (ended(chunk)) {
        return;
      }
    }
  }

  private static boolean ended(Content.Chunk chunk) {
    boolean last = chunk.isLast();
    chunk.release();
    return last;
  }
}
