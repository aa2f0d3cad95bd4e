package dev.atoll.engine.run;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.RunEvent;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one run, in order, of which the newest part is kept.
 *
 * <p>Output is kept up to {@link #RETAINED} bytes for readers that come late. While readers are
 * attached, the guest is held back at the speed of the slowest one. A reader that {@linkplain #hold
 * holds} is waited for as long as it is there, as a pipe does; a mere onlooker never for longer
 * than {@link #PATIENCE}: then it loses output, and is told how much. Whoever starts something
 * reads it a moment later, so the first reader is waited for too, for a time that the run says.
 * Once the run has written its limit, the rest is counted and dropped. {@link ShownResults} has
 * what holds for results.
 *
 * <p>All of it is on account of the sandbox's project. For a reader that holds, what the guest may
 * send is paid before it is allowed to, and it is not allowed to while there is no room. Other
 * output that finds no room makes the oldest go, whoever still needs it, or is dropped itself;
 * readers are told how much. When the run has ended and nobody reads, {@link #store} brings it to
 * disk, and later readers each get a copy.
 *
 * <p>The events form a linked list. A reader holds the item it reads next; when that item is
 * dropped, the reader is moved to the oldest one left, so that a slow reader never keeps memory
 * alive. Thread-safe; the lock is a leaf.
 */
final class RunLog {
  private static final Logger LOG = LoggerFactory.getLogger(RunLog.class);
  static final int RETAINED = 1 << 20;

  /** So much output is paid with the run itself, so that a short answer always finds room. */
  static final int PREPAID = 4096;

  /** Less than that is not worth a file, unless room is scarce. */
  private static final int WORTH_A_FILE = 16 << 10;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What a guest may send before it needs more credit; paid ahead for readers that hold. */
  static final int WINDOW = FrameCodec.INITIAL_WINDOW;

  /** Less than that never needs more credit. */
  private static final int LITTLE = WINDOW / 16;

  /** Only what a server missed is a gap: it comes back once, with the newest of what was said. */
  private static final int MAX_GAPS = 64;

  /** Far beyond what can be written in a lifetime, and far from where numbers end. */
  private static final long MAX_OFFSET = 1L << 60;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Apart from the other, so that who waits for the end alone is woken once. */
  private final Condition over = lock.newCondition();

  private final Duration patience;
  private final long maxOutput;
  private final Runnable onRoom;
  private final List<LogReader> readers = new ArrayList<>();

  /** Whether somebody is about to read, from where, and until when he is waited for. */
  private boolean expected = true;

  private long expectedFrom;
  private long expectedUntil;

  /** Whether the one who is expected is to hold, and the run is of no use without him. */
  private boolean awaitsHolder;

  private final BudgetAccount memory;
  private final ShownResults results;
  private LogItem first = new LogItem(null, 0);
  private LogItem last = first;

  /** The last item, if it was revoked. */
  private @Nullable LogItem revoked;

  private long kept;
  private long end;
  private long written;
  private long keptEnd;
  private long heldSince;
  private int gaps;
  private boolean draining;
  private RunEvent.@Nullable End ending;
  private RunEvent.@Nullable Started started;
  private long paid;

  /** Paid ahead for what the guest may send. */
  private long reserve;

  private volatile Runnable onIdle = () -> {};
  private boolean unloading;
  private boolean unloaded;
  private boolean discarded;
  private @Nullable StoredLog stored;

  /**
   * Makes an empty log.
   *
   * @param maxOutput bytes after which output is dropped
   * @param onRoom called, without the lock, when the guest may send more after it was held back
   * @param welcome how long the first reader is waited for
   * @param memory pays for what is kept
   */
  RunLog(long maxOutput, Runnable onRoom, Duration welcome, BudgetAccount memory) {
    this(maxOutput, onRoom, welcome, memory, PATIENCE);
  }

  RunLog(
      long maxOutput, Runnable onRoom, Duration welcome, BudgetAccount memory, Duration patience) {
    this.patience = patience;
    this.memory = memory;
    this.results = new ShownResults(memory);
    this.maxOutput = maxOutput;
    this.onRoom = onRoom;
    this.expectedUntil = System.nanoTime() + welcome.toNanos();
  }

  /**
   * The same for a run that is of no use without the reader that follows it.
   *
   * @param welcome how long that one is waited for
   */
  static RunLog awaitingHolder(
      long maxOutput, Runnable onRoom, Duration welcome, BudgetAccount memory) {
    RunLog log = new RunLog(maxOutput, onRoom, welcome, memory);
    log.awaitsHolder = true;
    return log;
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
      if (ending != null || discarded) {
        return true;
      }
      if (offset < 0 || offset > MAX_OFFSET) {
        throw new ProtocolException("output at byte " + offset);
      }
      int skip = Math.clamp(end - offset, 0, bytes.length);
      if (offset > end) {
        if (++gaps > MAX_GAPS) {
          throw new ProtocolException("output with more than " + MAX_GAPS + " gaps");
        }
        append(new LogItem(new RunEvent.Cut(end, offset - end), end));
        end = offset;
      }
      int length = bytes.length - skip;
      int take = Math.clamp(maxOutput - written, 0, length);
      if (pay(take + LogItem.COST)) {
        add(stderr, bytes, skip, take);
      } else {
        // Readers see it by the offset of what follows.
        end += take;
      }
      written += take;
      end += length - take;
      trim();
      settleAccount();
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
      kept += LogItem.COST;
    }
    if (item.output != null) {
      item.output.write(bytes, offset, length);
      item.ascii = bytes[offset + length - 1] >= 0;
    }
    kept += length;
    end += length;
    keptEnd = end;
  }

  /** Pays for more; the oldest goes where that is the only way. */
  private boolean pay(long more) {
    long needed = kept + more - PREPAID - paid;
    long ahead = Math.clamp(needed, 0, reserve);
    reserve -= ahead;
    paid += ahead;
    needed -= ahead;
    while (needed > 0 && !memory.take(needed)) {
      if (!dropOldest()) {
        return false;
      }
      needed = kept + more - PREPAID - paid;
    }
    paid += Math.max(0, needed);
    return true;
  }

  /** Gets back what was paid for more than is kept, but for what the guest may still send. */
  private void settleAccount() {
    long excess = Math.max(0, paid - Math.max(0, kept - PREPAID));
    long ahead = isHeld() ? Math.clamp(WINDOW - reserve, 0, excess) : 0;
    reserve += ahead;
    memory.give(excess - ahead);
    paid -= excess;
  }

  /** Pays for a whole window ahead, if somebody holds; what was read makes room for it. */
  private boolean topUp() {
    if (!isHeld()) {
      return true;
    }
    while (reserve < WINDOW && !memory.take(WINDOW - reserve)) {
      if (!dropRead()) {
        return false;
      }
      settleAccount();
    }
    reserve = Math.max(reserve, WINDOW);
    return true;
  }

  private void releaseReserve() {
    memory.give(reserve);
    reserve = 0;
  }

  /**
   * Whether the guest sends no more than somebody is certain to read. A run that has written little
   * does with the credit that it began with, so that many small ones do not use up the memory.
   */
  private boolean isHeld() {
    return ending == null
        && !discarded
        && end >= LITTLE
        && ((awaitsHolder && isExpected()) || readers.stream().anyMatch(LogReader::holds));
  }

  private void append(LogItem item) {
    last.next = item;
    LogItem before = last;
    last = item;
    if (before == revoked) {
      unlink(before);
      revoked = null;
    }
  }

  /**
   * Adds an event that is of interest until it is {@linkplain #revoke revoked}; null when nobody
   * can see it any more.
   */
  @Nullable LogItem revocable(RunEvent event) {
    lock.lock();
    try {
      if (ending != null || discarded) {
        return null;
      }
      LogItem item = new LogItem(event, end);
      append(item);
      changed.signalAll();
      return item;
    } finally {
      lock.unlock();
    }
  }

  /** Who has not read it yet will not; nothing of it is kept. */
  void revoke(LogItem item) {
    lock.lock();
    try {
      item.event = null;
      if (item == last) {
        // What comes next is to be found behind it.
        revoked = item;
      } else {
        unlink(item);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A reader that is at the item still finds what follows it. */
  private void unlink(LogItem item) {
    for (LogItem before = first; before.next != null; before = before.next) {
      if (before.next == item) {
        before.next = item.next;
        return;
      }
    }
  }

  /** Adds an event that is no output. */
  void event(RunEvent event) {
    lock.lock();
    try {
      if (ending != null) {
        return;
      }
      if (event instanceof RunEvent.Started begun) {
        started = begun;
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
      LogItem item =
          ending == null && !discarded ? results.admit(result, instead, size, end) : null;
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
      append(new LogItem(event, end));
      ending = event;
      releaseReserve();
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

  /** Reads from an offset; what is on disk is brought back for this reader alone. */
  LogReader read(long from) {
    return read(from, false);
  }

  /** The same for a reader that the guest waits for as long as it is there. */
  LogReader hold(long from) {
    return read(from, true);
  }

  private LogReader read(long from, boolean holds) {
    lock.lock();
    try {
      // Whoever looks on is not the one who is waited for.
      expected &= awaitsHolder && !holds;
      awaitsHolder &= !holds;
      if (!unloaded || ending == null) {
        LogReader reader = new LogReader(this, first, from, 0, holds);
        readers.add(reader);
        return reader;
      }
    } finally {
      lock.unlock();
    }
    return readAgain(from);
  }

  private LogReader readAgain(long from) {
    StoredLog file = file();
    long weight = file == null ? 0 : file.weight();
    if (file == null) {
      return new LogReader(this, leftover(), from, 0, false);
    }
    if (!memory.take(weight)) {
      throw BudgetAccount.full("the output of the run");
    }
    try {
      return new LogReader(this, file.read(), from, weight, false);
    } catch (IOException e) {
      memory.give(weight);
      LOG.warn("the output of an ended run is gone: {}", e.toString());
      return new LogReader(this, leftover(), from, 0, false);
    }
  }

  private @Nullable StoredLog file() {
    lock.lock();
    try {
      return stored;
    } finally {
      lock.unlock();
    }
  }

  /** What is still known of a run whose output is gone. */
  private LogItem leftover() {
    LogItem beginning = new LogItem(started, 0);
    LogItem before = new LogItem(null, 0);
    before.next = beginning;
    beginning.next = new LogItem(ending, end);
    return before;
  }

  void detach(LogReader reader) {
    lock.lock();
    try {
      readers.remove(reader);
      memory.give(reader.leave());
      if (reader.holds()) {
        expectedFrom = reader.position();
      }
      if (!isHeld()) {
        releaseReserve();
      }
      if (discarded) {
        unload();
      }
    } finally {
      lock.unlock();
    }
    roomMayHaveCome();
    if (isToBeStored()) {
      onIdle.run();
    }
  }

  /**
   * The reader that holds has gone. For some time he is waited for as at the beginning; then the
   * run {@link #isForsaken}.
   */
  void abandoned(Duration patience) {
    lock.lock();
    try {
      awaitsHolder = true;
      expected = true;
      expectedUntil = System.nanoTime() + patience.toNanos();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it goes on for somebody who has not come, or not come back. */
  boolean isForsaken() {
    lock.lock();
    try {
      return awaitsHolder
          && ending == null
          && !isExpected()
          && readers.stream().noneMatch(LogReader::holds);
    } finally {
      lock.unlock();
    }
  }

  // After the end.

  /** Says what to do when its last reader has gone and it should be stored. */
  void onIdle(Runnable task) {
    onIdle = task;
  }

  /** Whether it is over, takes memory that matters, and nobody needs it there. */
  boolean isToBeStored() {
    lock.lock();
    try {
      return mayUnload() && !discarded && (paid + results.held() > WORTH_A_FILE || isWorth());
    } finally {
      lock.unlock();
    }
  }

  private boolean isWorth() {
    return paid + results.held() > 0 && memory.isScarce();
  }

  private boolean mayUnload() {
    return ending != null && readers.isEmpty() && !isExpected() && !unloaded && !unloading;
  }

  /** Brings it to disk, if it {@link #isToBeStored}. What finds no room there either is dropped. */
  void store(RunFiles files) {
    LogItem beginning;
    lock.lock();
    try {
      if (!mayUnload() || discarded) {
        return;
      }
      unloading = true;
      beginning = first;
    } finally {
      lock.unlock();
    }
    // Nothing is added any more.
    StoredLog file = file();
    if (file == null) {
      file = files.store(beginning);
    }
    lock.lock();
    try {
      unloading = false;
      stored = file;
      if (discarded) {
        removeFile();
      }
      if (readers.isEmpty()) {
        unload();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nobody will ask for it again; who reads now may go on. */
  void discard() {
    lock.lock();
    try {
      discarded = true;
      if (readers.isEmpty() && !unloading) {
        unload();
      }
      removeFile();
    } finally {
      lock.unlock();
    }
  }

  private void unload() {
    unloaded = true;
    first = new LogItem(null, 0);
    last = first;
    results.release();
    releaseReserve();
    memory.give(paid);
    paid = 0;
    kept = 0;
  }

  private void removeFile() {
    StoredLog file = stored;
    stored = null;
    if (file != null) {
      file.remove();
    }
  }

  /**
   * Drops the oldest output while too much is kept, unless a reader with patience left still needs
   * it.
   */
  private void trim() {
    while (kept > RETAINED) {
      LogItem oldest = first.next;
      if (oldest == null || oldest == last || isNeeded(oldest) || !dropOldest()) {
        return;
      }
    }
  }

  /** Drops the oldest stretch of output but the last one; false when there is none. */
  private boolean dropOldest() {
    // Events that are no output are few and are kept: only the stretch of output goes.
    LogItem before = first;
    LogItem oldest = first.next;
    while (oldest != null && oldest.output == null) {
      before = oldest;
      oldest = oldest.next;
    }
    if (oldest == null || oldest == last) {
      return false;
    }
    before.next = oldest.next;
    kept -= oldest.size() + LogItem.COST;
    for (LogReader reader : readers) {
      reader.dropped(oldest);
    }
    return true;
  }

  private boolean isNeeded(LogItem item) {
    return !draining && slowest() < item.offset + item.size() && !isOverdue();
  }

  /** Drops the oldest stretch if everybody has read it. */
  private boolean dropRead() {
    LogItem oldest = first.next;
    while (oldest != null && oldest.output == null) {
      oldest = oldest.next;
    }
    return oldest != null && slowest() >= oldest.offset + oldest.size() && dropOldest();
  }

  /**
   * Whether the guest has been held back for too long; onlookers are then no longer waited for, and
   * no room for more either. Who holds is.
   */
  private boolean isOverdue() {
    long now = System.nanoTime();
    if (heldSince == 0) {
      heldSince = now;
    }
    if (now - heldSince < patience.toNanos()) {
      return false;
    }
    for (LogReader reader : readers) {
      reader.lagging = !reader.holds() && keptEnd - reader.position() >= RETAINED / 2;
    }
    heldSince = 0;
    return isFollowed();
  }

  /** Whether all who are waited for have read most of what was written. */
  private boolean isFollowed() {
    long slowest = slowest();
    return slowest == Long.MAX_VALUE || keptEnd - slowest < RETAINED / 2;
  }

  private long slowest() {
    long position = isExpected() ? expectedFrom : Long.MAX_VALUE;
    for (LogReader reader : readers) {
      if (!reader.lagging) {
        position = Math.min(position, reader.position());
      }
    }
    return position;
  }

  private boolean hasRoom() {
    if (draining || (isFollowed() && topUp())) {
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
