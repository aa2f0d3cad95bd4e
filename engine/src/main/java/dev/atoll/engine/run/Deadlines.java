package dev.atoll.engine.run;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does things later. Each is done on a virtual thread of its own, so one that blocks delays no
 * other.
 */
public final class Deadlines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);

  private final ScheduledExecutorService clock;

  public Deadlines() {
    ScheduledThreadPoolExecutor pool =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("atoll-deadlines").daemon(true).factory());
    pool.setRemoveOnCancelPolicy(true);
    clock = Executors.unconfigurableScheduledExecutorService(pool);
  }

  /** Something to be done later, unless it is cancelled before. */
  public interface Alarm {
    void cancel();
  }

  /** Does it once, after the delay. */
  public Alarm after(Duration delay, String what, Runnable task) {
    ScheduledFuture<?> scheduled =
        clock.schedule(
            () -> start(what, task), Math.max(0, delay.toMillis()), TimeUnit.MILLISECONDS);
    return () -> scheduled.cancel(false);
  }

  /** Does it again and again until it is cancelled. */
  public Alarm every(Duration period, String what, Runnable task) {
    ScheduledFuture<?> scheduled =
        clock.scheduleAtFixedRate(
            () -> start(what, task), period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
    return () -> scheduled.cancel(false);
  }

  private static void start(String what, Runnable task) {
    Thread.ofVirtual()
        .name(what)
        .start(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                LOG.warn("{} failed: {}", what, e.toString());
              }
            });
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
