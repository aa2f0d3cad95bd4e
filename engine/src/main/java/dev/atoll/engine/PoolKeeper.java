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
 * waits for a machine of his own and the host has memory to spare.
 */
final class PoolKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);
  private static final long PERIOD_MILLIS = 500;
  private static final long SETTLE_MILLIS = 30;
  private static final long SPARE_BYTES = 1L << 30;

  private final Machines machines;
  private final LongSupplier memory;
  private final List<Stock> stocks = new CopyOnWriteArrayList<>();
  private final Semaphore wanted = new Semaphore(0);
  private volatile boolean closed;
  private volatile Thread thread = Thread.ofVirtual().unstarted(() -> {});

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

  PoolKeeper(Machines machines, LongSupplier memory) {
    this.machines = machines;
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
    wanted.release();
  }

  private void run() {
    try {
      while (!closed) {
        boolean more = false;
        for (Stock stock : stocks) {
          more |= tend(stock);
        }
        if (!more) {
          boolean _ = wanted.tryAcquire(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
          wanted.drainPermits();
          // Whoever took a machine is about to use it; he goes first.
          Thread.sleep(SETTLE_MILLIS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean tend(Stock stock) {
    try {
      return !closed && stock.tend(() -> !machines.isCrowded() && memory.getAsLong() > SPARE_BYTES);
    } catch (RuntimeException e) {
      LOG.warn("a stock of machines could not be tended", e);
      return false;
    }
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
