package dev.atoll.engine.guest;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channels that were closed and whose end the guest has not confirmed yet. Thread-safe. */
final class Endings {
  private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

  private final Map<Integer, CountDownLatch> open = new ConcurrentHashMap<>();

  void begin(int channel) {
    open.put(channel, new CountDownLatch(1));
  }

  void confirmed(int channel) {
    CountDownLatch latch = open.remove(channel);
    if (latch != null) {
      latch.countDown();
    }
  }

  /** The guest is gone, and everything in it. */
  void allConfirmed() {
    open.keySet().forEach(this::confirmed);
  }

  void await(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    open.forEach(
        (channel, latch) -> {
          if (!await(latch, deadline - System.nanoTime())) {
            LOG.warn("what channel {} of a sandbox had started does not end", channel);
            confirmed(channel);
          }
        });
  }

  private static boolean await(CountDownLatch latch, long nanos) {
    try {
      return latch.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(
          ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a program to end");
    }
  }
}
