package dev.atoll.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The binary frames of a WebSocket as one stream. A frame is asked for when the one before was
 * read, so a slow reader slows the sender down and no more than one frame waits in memory.
 */
final class SocketFrames extends InputStream {
  private static final byte[] LAST = new byte[0];

  private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
  private volatile @Nullable WebSocket socket;
  private volatile @Nullable IOException failure;
  private byte[] current = LAST;
  private int position;
  private boolean ended;

  /** Begins to ask for frames. */
  void open(WebSocket webSocket) {
    socket = webSocket;
    webSocket.request(1);
  }

  /** A frame has come; an empty one is passed over. */
  void add(byte[] frame) {
    WebSocket open = socket;
    if (frame.length > 0) {
      frames.add(frame);
    } else if (open != null) {
      open.request(1);
    }
  }

  /** Nothing more comes; a blocked reader sees the end. */
  void end() {
    frames.add(LAST);
  }

  /** Nothing more comes, although it should; the reader is told once it has read the rest. */
  void fail(IOException reason) {
    if (failure == null) {
      failure = reason;
    }
    frames.add(LAST);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (position == current.length && !next()) {
      return -1;
    }
    int count = Math.min(length, current.length - position);
    System.arraycopy(current, position, into, from, count);
    position += count;
    return count;
  }

  private boolean next() throws IOException {
    if (!ended) {
      try {
        current = frames.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while reading from a sandbox");
      }
      position = 0;
      ended = current.length == 0;
    }
    IOException reason = failure;
    if (ended && reason != null) {
      throw new IOException(reason.getMessage(), reason);
    }
    WebSocket open = socket;
    if (open != null && !ended) {
      open.request(1);
    }
    return !ended;
  }
}
