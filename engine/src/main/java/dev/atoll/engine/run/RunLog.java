package dev.atoll.engine.run;

import dev.atoll.model.RunEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events of one run, in order, of which the newest part is kept.
 *
 * <p>Output is kept up to {@link #RETAINED} bytes for readers that come late. While readers are
 * attached, the guest is held back at the speed of the slowest one, but never for longer than
 * {@link #PATIENCE}: then that reader loses output, and is told how much. Whoever starts something
 * reads it a moment later, so the first reader is waited for in the same way, for a short time.
 * Once the run has written its limit, the rest is counted and dropped. {@link ShownResults} has
 * what holds for results.
 *
 * <p>The events form a linked list. A reader holds the item it reads next; when that item is
 * dropped, the reader is moved to the oldest one left, so that a slow reader never keeps memory
 * alive. Thread-safe; the lock is a leaf.
 */
final class RunLog {
  static final int RETAINED = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Apart from the other, so that who waits for the end alone is woken once. */
  private final Condition over = lock.newCondition();

  private final long maxOutput;
  private final Runnable onRoom;
  private final List<LogReader> readers = new ArrayList<>();
  private final long expectedUntil;
  private boolean expected = true;

  private final ShownResults results = new ShownResults(ResultRoom.SHARED);
  private LogItem first = new LogItem(null, 0);
  private LogItem last = first;
  private long kept;
  private long end;
  private long written;
  private long cut;
  private long keptEnd;
  private long heldSince;
  private boolean draining;
  private RunEvent.@Nullable End ending;

  /**
   * Makes an empty log.
   *
   * @param maxOutput bytes after which output is dropped
   * @param onRoom called, without the lock, when the guest may send more after it was held back
   * @param welcome how long the first reader is waited for
   */
  RunLog(long maxOutput, Runnable onRoom, Duration welcome) {
    this.maxOutput = maxOutput;
    this.onRoom = onRoom;
    this.expectedUntil = System.nanoTime() + welcome.toNanos();
  }

  /**
   * Adds output. What lies before the end of the log is a repetition and is left out; a gap is
   * noted as cut.
   *
   * @return whether the guest may send more
   */
  boolean output(boolean stderr, long offset, byte[] bytes) {
    lock.lock();
    try {
      int skip = Math.clamp(end - offset, 0, bytes.length);
      if (offset > end) {
        append(new LogItem(new RunEvent.Cut(end, offset - end), end));
        end = offset;
      }
      int length = bytes.length - skip;
      int take = Math.clamp(maxOutput - written, 0, length);
      add(stderr, bytes, skip, take);
      written += take;
      if (take < length) {
        cut += length - take;
        end += length - take;
      }
      trim();
      changed.signalAll();
      return hasRoom();
    } finally {
      lock.unlock();
    }
  }

  private void add(boolean stderr, byte[] bytes, int offset, int length) {
    if (length == 0) {
      return;
    }
    LogItem item = last;
    if (item.output == null
        || item.stderr != stderr
        || item.full()
        || item.offset + item.size() != end) {
      item = new LogItem(stderr, end);
      append(item);
    }
    if (item.output != null) {
      item.output.write(bytes, offset, length);
      item.ascii = bytes[offset + length - 1] >= 0;
    }
    kept += length;
    end += length;
    keptEnd = end;
  }

  private void append(LogItem item) {
    last.next = item;
    last = item;
  }

  /** Adds an event that is no output. */
  void event(RunEvent event) {
    lock.lock();
    try {
      if (ending != null) {
        return;
      }
      append(new LogItem(event, end));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a result.
   *
   * @param instead what is told where there is no room for it, or for whom it comes too late
   * @param size of the result in bytes
   */
  void result(RunEvent result, RunEvent instead, int size) {
    lock.lock();
    try {
      LogItem item = ending == null ? results.admit(result, instead, size, end) : null;
      if (item != null) {
        append(item);
        changed.signalAll();
      }
      trimResults();
    } finally {
      lock.unlock();
    }
  }

  /** While nobody reads, only so much is kept as for output. */
  private void trimResults() {
    if (readers.isEmpty() && !isExpected()) {
      results.trim(RETAINED);
      if (ending != null) {
        results.settle();
      }
    }
  }

  private boolean isExpected() {
    expected &= System.nanoTime() - expectedUntil < 0;
    return expected;
  }

  /** Adds the last event; all later ones are ignored. */
  void end(RunEvent.End event) {
    lock.lock();
    try {
      if (ending != null) {
        return;
      }
      if (cut > 0) {
        append(new LogItem(new RunEvent.Cut(end - cut, cut), end));
      }
      append(new LogItem(event, end));
      ending = event;
      trimResults();
      changed.signalAll();
      over.signalAll();
    } finally {
      lock.unlock();
    }
  }

  RunEvent.@Nullable End ending() {
    lock.lock();
    try {
      return ending;
    } finally {
      lock.unlock();
    }
  }

  /** How many bytes the run has written, kept or not. */
  long outputBytes() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /** The run is being stopped: from now on its output is taken at once, whoever reads it or not. */
  void drain() {
    lock.lock();
    try {
      draining = true;
    } finally {
      lock.unlock();
    }
    onRoom.run();
  }

  LogReader read(long from) {
    lock.lock();
    try {
      expected = false;
      LogReader reader = new LogReader(this, first, from);
      readers.add(reader);
      return reader;
    } finally {
      lock.unlock();
    }
  }

  void detach(LogReader reader) {
    lock.lock();
    try {
      readers.remove(reader);
    } finally {
      lock.unlock();
    }
    roomMayHaveCome();
  }

  /**
   * Drops the oldest output while too much is kept, unless a reader with patience left still needs
   * it.
   */
  private void trim() {
    while (kept > RETAINED) {
      LogItem oldest = first.next;
      if (oldest == null || oldest == last) {
        return;
      }
      if (isNeeded(oldest)) {
        return;
      }
      // Events that are no output are few and are kept: only the stretch of output goes.
      LogItem before = first;
      while (oldest != null && oldest.output == null) {
        before = oldest;
        oldest = oldest.next;
      }
      if (oldest == null || oldest == last) {
        return;
      }
      before.next = oldest.next;
      kept -= oldest.size();
      for (LogReader reader : readers) {
        reader.dropped(oldest);
      }
    }
  }

  private boolean isNeeded(LogItem item) {
    return !draining && slowest() < item.offset + item.size() && !isOverdue();
  }

  /**
   * Whether the guest has been held back for too long; the readers to blame are then no longer
   * waited for.
   */
  private boolean isOverdue() {
    long now = System.nanoTime();
    if (heldSince == 0) {
      heldSince = now;
    }
    if (now - heldSince < PATIENCE.toNanos()) {
      return false;
    }
    for (LogReader reader : readers) {
      reader.lagging = keptEnd - reader.position() >= RETAINED / 2;
    }
    heldSince = 0;
    return true;
  }

  private long slowest() {
    long position = isExpected() ? 0 : Long.MAX_VALUE;
    for (LogReader reader : readers) {
      if (!reader.lagging) {
        position = Math.min(position, reader.position());
      }
    }
    return position;
  }

  private boolean hasRoom() {
    long slowest = slowest();
    if (draining || slowest == Long.MAX_VALUE || keptEnd - slowest < RETAINED / 2) {
      heldSince = 0;
      return true;
    }
    return isOverdue();
  }

  /** Called by readers after they moved on, and now and then by a timer for readers that do not. */
  void roomMayHaveCome() {
    boolean room;
    lock.lock();
    try {
      trimResults();
      room = hasRoom();
    } finally {
      lock.unlock();
    }
    if (room) {
      onRoom.run();
    }
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Waits for a change with the lock held, in a loop of the caller; false when none came in time.
   */
  @SuppressWarnings("WaitNotInLoop")
  boolean awaitChange(long nanos) throws InterruptedException {
    return nanos > 0 && changed.await(nanos, TimeUnit.NANOSECONDS);
  }

  /** Waits for the end; false when it did not come in time. */
  boolean awaitEnd(Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    lock.lock();
    try {
      while (ending == null) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        over.await(left, TimeUnit.NANOSECONDS);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
