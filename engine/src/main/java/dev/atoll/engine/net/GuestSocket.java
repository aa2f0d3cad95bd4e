package dev.atoll.engine.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The program's side of a connection as a socket, which is what TLS is spoken on. There is no
 * socket of the host behind it.
 */
final class GuestSocket extends Socket {
  private final EgressConnection connection;
  private final InputStream input;
  private final OutputStream output = new Delivery();

  /** Nothing may be sent after the end, so writing and closing take turns. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile boolean closed;

  /**
   * @param greeting what the program has sent already
   */
  GuestSocket(EgressConnection connection, byte[] greeting) {
    this.connection = connection;
    this.input = new Receipt(greeting);
  }

  @Override
  public InputStream getInputStream() {
    return input;
  }

  @Override
  public OutputStream getOutputStream() {
    return output;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void setSoTimeout(int timeout) {
    // Whoever watches the connection ends one that waits too long.
  }

  @Override
  public int getSoTimeout() {
    return 0;
  }

  @Override
  public void setSoLinger(boolean on, int linger) {
    // There is nothing to linger on.
  }

  @Override
  public void close() {
    turn.lock();
    try {
      if (!closed) {
        closed = true;
        connection.finish();
      }
    } finally {
      turn.unlock();
    }
  }

  private final class Receipt extends InputStream {
    private byte[] chunk;
    private int position;

    Receipt(byte[] greeting) {
      this.chunk = greeting;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      while (position == chunk.length) {
        byte[] next = next();
        if (next == null) {
          return -1;
        }
        chunk = next;
        position = 0;
      }
      int count = Math.min(length, chunk.length - position);
      System.arraycopy(chunk, position, into, offset, count);
      position += count;
      return count;
    }

    private byte @Nullable [] next() throws IOException {
      try {
        return connection.receive();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }

    @Override
    public int available() {
      return chunk.length - position;
    }
  }

  private final class Delivery extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      turn.lock();
      try {
        if (closed || !connection.deliver(bytes, offset, length)) {
          throw new IOException("the program takes nothing any more");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      } finally {
        turn.unlock();
      }
    }
  }
}
