package dev.atoll.engine.run;

import dev.atoll.engine.RunEvents;
import dev.atoll.model.RunEvent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a {@link RunLog}. Output is given as text where it is UTF-8; a character that is
 * split between two stretches of output is given whole.
 */
final class LogReader implements RunEvents {
  private static final int MAX_EVENT = 48 << 10;

  private final RunLog log;
  private LogItem item;
  private int consumed;
  private long position;
  private long lost;
  private boolean ended;
  private long lease;
  private final boolean holds;

  /** Set by the log, with its lock held, when the guest no longer waits for this reader. */
  boolean lagging;

  /**
   * @param lease what was paid for a copy that is this reader's own
   * @param holds whether the guest waits for it as long as it is there
   */
  LogReader(RunLog log, LogItem before, long from, long lease, boolean holds) {
    this.lease = lease;
    this.holds = holds;
    this.log = log;
    this.item = before;
    this.position = from;
  }

  boolean holds() {
    return holds;
  }

  /** It reads no more; gives what has to be given back, once. With the log's lock held. */
  long leave() {
    long paid = lease;
    lease = 0;
    return paid;
  }

  /** Where in the output this reader is; with the log's lock held. */
  long position() {
    return position;
  }

  /** The log has dropped an item, which may be the one being read; with the log's lock held. */
  void dropped(LogItem gone) {
    if (gone == item) {
      lost += Math.max(0, gone.size() - consumed);
      // The item stays linked to what follows it, and nothing before it is reachable from here.
      consumed = gone.size();
      position = Math.max(position, gone.offset + gone.size());
    } else if (gone.offset >= position) {
      lost += gone.size();
      position = gone.offset + gone.size();
    }
  }

  @Override
  public @Nullable RunEvent next(Duration wait) {
    long deadline = System.nanoTime() + wait.toNanos();
    RunEvent event = null;
    log.lock();
    try {
      while (event == null && !ended) {
        event = poll();
        if (event == null && !log.awaitChange(deadline - System.nanoTime())) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      log.unlock();
    }
    if (event instanceof RunEvent.Output) {
      log.roomMayHaveCome();
    }
    return event;
  }

  private @Nullable RunEvent poll() {
    while (true) {
      if (lost > 0) {
        long bytes = lost;
        lost = 0;
        return new RunEvent.Cut(position - bytes, bytes);
      }
      if (consumed < item.size()) {
        RunEvent output = output();
        if (output != null) {
          return output;
        }
      }
      LogItem next = item.next;
      if (next == null) {
        return null;
      }
      if (next.event instanceof RunEvent.End && position < next.offset) {
        long bytes = next.offset - position;
        position = next.offset;
        return new RunEvent.Cut(position - bytes, bytes);
      }
      item = next;
      consumed = 0;
      if (item.event instanceof RunEvent.Cut cut) {
        if (cut.offset() >= position) {
          position = cut.offset() + cut.bytes();
          return cut;
        }
      } else if (item.event != null) {
        ended = item.event instanceof RunEvent.End;
        return item.event;
      } else {
        consumed = Math.clamp(position - item.offset, 0, item.size());
        // What lay between was dropped before this reader came.
        lost = Math.max(0, item.offset - position);
        position = Math.max(position, item.offset);
      }
    }
  }

  /**
   * The next stretch of the current item, or null when only the beginning of a character is there
   * and more may come.
   */
  private @Nullable RunEvent output() {
    if (item.output == null) {
      return null;
    }
    byte[] all = item.bytes();
    int length = Math.min(all.length - consumed, MAX_EVENT);
    byte[] bytes = Arrays.copyOfRange(all, consumed, consumed + length);
    int whole = length - incompleteTail(bytes);
    boolean more = item.next == null;
    if (whole == 0 && more) {
      return null;
    }
    if (whole > 0 && (more || consumed + length < all.length)) {
      bytes = Arrays.copyOf(bytes, whole);
    }
    long offset = item.offset + consumed;
    consumed += bytes.length;
    position = offset + bytes.length;
    return event(item.stderr, offset, bytes);
  }

  private static RunEvent event(boolean stderr, long offset, byte[] bytes) {
    String text = null;
    String base64 = null;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      base64 = Base64.getEncoder().encodeToString(bytes);
    }
    return stderr
        ? new RunEvent.Stderr(offset, text, base64)
        : new RunEvent.Stdout(offset, text, base64);
  }

  /** How many bytes at the end begin a character that is not complete. */
  private static int incompleteTail(byte[] bytes) {
    for (int back = 1; back <= 3 && back <= bytes.length; back++) {
      int b = bytes[bytes.length - back] & 0xff;
      if (b < 0x80) {
        return 0;
      }
      if (b >= 0xc0) {
        int needed = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
        return needed > back ? back : 0;
      }
    }
    return 0;
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public void close() {
    log.detach(this);
  }
}
