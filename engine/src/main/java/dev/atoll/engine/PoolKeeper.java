package dev.atoll.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps stocks of machines full in the background: one machine at a time, and only while nobody
 * makes a machine of his own and the host has memory to spare. Whoever takes machines all the time
 * does not keep the stocks of others empty: after a while they are filled beside him.
 */
final class PoolKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);
  private static final long PERIOD_MILLIS = 500;

  /** A fork of several takes one machine after the other, and then uses all of them. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long SPARE_BYTES = 1L << 30;

  private final Demand demand;
  private final LongSupplier memory;
  private final List<Stock> stocks = new CopyOnWriteArrayList<>();
  private final Semaphore wanted = new Semaphore(0);
  private volatile boolean closed;
  private volatile Thread thread = Thread.ofVirtual().unstarted(() -> {});
  private volatile long takenAt = System.nanoTime() - SETTLE_NANOS;

  /** When nothing was missing, or nobody in the way. Of the keeper's thread, as the next. */
  private long contentAt;

  private boolean putOff;

  /** Who makes machines for callers. */
  interface Demand {
    /** Whether one is being made. */
    boolean isBusy();

    /** Whether somebody waits until one can be made. */
    boolean isCrowded();
  }

  /** Machines that are kept ready. */
  interface Stock {
    /** Says who wants to know that something was taken. */
    void onTake(Runnable listener);

    /**
     * Brings the stock a step closer to what it should be: drops what is stale or too many, and
     * makes one machine if one is missing and there is room. Returns whether another step is due.
     */
    boolean tend(BooleanSupplier room);

    /** Drops what was made from a template's files, which are about to go. */
    void drop(String digest);
  }

  PoolKeeper(Demand demand, LongSupplier memory) {
    this.demand = demand;
    this.memory = memory;
  }

  void start() {
    thread = Thread.ofVirtual().name("pool-keeper").start(this::run);
  }

  void keep(Stock stock) {
    stocks.add(stock);
    stock.onTake(this::wake);
    wake();
  }

  void forget(Stock stock) {
    stocks.remove(stock);
  }

  /** Drops all machines that were made from a template's files. */
  void drop(String digest) {
    stocks.forEach(stock -> stock.drop(digest));
  }

  /** Something was taken. */
  void wake() {
    // What the keeper itself takes to fill a stock is no reason to wait.
    if (!Thread.currentThread().equals(thread)) {
      takenAt = System.nanoTime();
    }
    wanted.release();
  }

  private void run() {
    contentAt = System.nanoTime();
    try {
      while (!closed) {
        putOff = false;
        boolean more = false;
        for (Stock stock : stocks) {
          more |= tend(stock);
        }
        if (!putOff) {
          contentAt = System.nanoTime();
        }
        if (!more) {
          boolean _ = wanted.tryAcquire(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
          wanted.drainPermits();
          TimeUnit.NANOSECONDS.sleep(SETTLE_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean tend(Stock stock) {
    try {
      return !closed && stock.tend(this::hasRoom);
    } catch (RuntimeException e) {
      LOG.warn("a stock of machines could not be tended", e);
      return false;
    }
  }

  /** Whoever took a machine is about to use it, and maybe to take more; he goes first. */
  private boolean hasRoom() {
    long now = System.nanoTime();
    boolean quiet = !demand.isBusy() && now - takenAt >= SETTLE_NANOS;
    boolean starved = now - contentAt >= MOST_PATIENCE_NANOS && !demand.isCrowded();
    putOff |= !quiet;
    return (quiet || starved) && memory.getAsLong() > SPARE_BYTES;
  }

  /** Stops filling, and waits for a machine on its way. */
  void close() {
    closed = true;
    wake();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(60));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
