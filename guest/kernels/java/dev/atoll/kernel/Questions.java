package dev.atoll.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Stands for standard input: each line that code reads is asked of whoever runs it, if that one has
 * said that he answers. One thread asks at a time; {@link #answer} and {@link #askAgain} are called
 * by the one that reads messages.
 */
final class Questions extends InputStream {
  /** Writes a message to the agent. */
  interface Sender {
    void send(char kind, byte[] payload) throws IOException;
  }

  private static final String NOBODY =
      "stdin is not available in run_code; pass data as a file or variable";
  private static final byte[] NOTHING = {};

  private final Sender sender;
  private final Object turn = new Object();
  private boolean announced;
  private boolean allowed;
  private int number;
  private boolean waiting;
  private byte[] answered;
  private boolean ended;

  // What is left of the line that was read last.
  private byte[] line = NOTHING;
  private int at;

  Questions(Sender sender) {
    this.sender = sender;
  }

  /** Code that comes next may ask. */
  synchronized void announce() {
    announced = true;
  }

  synchronized void begin() {
    allowed = announced;
    announced = false;
  }

  /** Nothing is asked any more: the agent takes questions only while code runs. */
  synchronized void end() {
    allowed = false;
    notifyAll();
  }

  /** An answer; one to another question comes too late. */
  synchronized void answer(byte[] payload) {
    if (waiting && ByteBuffer.wrap(payload).getInt() == number) {
      waiting = false;
      ended = payload[4] != 0;
      answered = payload;
      notifyAll();
    }
  }

  /** After a restore: whoever is there now has not heard the question. */
  synchronized void askAgain() throws IOException {
    if (waiting && allowed) {
      tell("\"prompt\": \"\"");
    }
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  /** Gives no more than the rest of a line, so that nothing is asked that nobody wants to know. */
  @Override
  public int read(byte[] bytes, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    synchronized (turn) {
      if (at == line.length) {
        line = NOTHING;
        at = 0;
        byte[] next = ask();
        if (next == null) {
          return -1;
        }
        line = next;
      }
      int count = Math.min(length, line.length - at);
      System.arraycopy(line, at, bytes, offset, count);
      at += count;
      return count;
    }
  }

  @Override
  public int available() {
    synchronized (turn) {
      return line.length - at;
    }
  }

  private synchronized byte[] ask() {
    if (!allowed) {
      throw nobody();
    }
    System.out.flush();
    System.err.flush();
    number++;
    waiting = true;
    try {
      tell("\"prompt\": \"\"");
      while (waiting && allowed) {
        wait();
      }
      if (waiting) {
        throw nobody();
      }
      tell("\"over\": true");
      return ended ? null : line();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waited for input");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      waiting = false;
    }
  }

  private byte[] line() {
    byte[] text = new byte[answered.length - 4];
    System.arraycopy(answered, 5, text, 0, text.length - 1);
    text[text.length - 1] = '\n';
    return text;
  }

  private void tell(String what) throws IOException {
    String json = "{\"number\": %d, %s}".formatted(number, what);
    sender.send('q', json.getBytes(StandardCharsets.UTF_8));
  }

  /** Scanner would hide an IOException. */
  private static IllegalStateException nobody() {
    return new IllegalStateException(NOBODY);
  }
}
