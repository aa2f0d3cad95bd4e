package dev.atoll.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;

/**
 * The body of an answer for those who write to a stream. Needs one buffer, however much is written;
 * a write waits until the connection has taken what is full.
 *
 * <p>Closing it does nothing. Whoever writes may close it when he fails, too, and an answer that
 * ends in order would then be taken for a whole one; only {@link #finish} ends it.
 */
final class AnswerStream extends OutputStream {
  private static final int BUFFER = 64 << 10;

  private final Exchange exchange;
  private final Shutdown shutdown;
  private final byte[] buffer = new byte[BUFFER];
  private int filled;

  AnswerStream(Exchange exchange, Shutdown shutdown) {
    this.exchange = exchange;
    this.shutdown = shutdown;
  }

  @Override
  public void write(int value) throws IOException {
    makeRoom();
    buffer[filled++] = (byte) value;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int written = 0;
    while (written < length) {
      makeRoom();
      int count = Math.min(buffer.length - filled, length - written);
      System.arraycopy(bytes, offset + written, buffer, filled, count);
      filled += count;
      written += count;
    }
  }

  @Override
  public void close() {}

  /** Sends what is left and ends the answer as a whole one. */
  void finish() {
    exchange.finish(ByteBuffer.wrap(buffer, 0, filled));
  }

  /** A buffer leaves only when more comes, so that a failure at once can still be answered. */
  private void makeRoom() throws IOException {
    if (filled < buffer.length) {
      return;
    }
    shutdown.check();
    Content.Sink.write(exchange.response(), false, ByteBuffer.wrap(buffer, 0, filled));
    filled = 0;
  }
}
