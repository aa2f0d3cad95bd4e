package dev.atoll.engine.net;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Lets so much through per time, and a burst of what was not used. Safe for many threads. */
public final class TokenBucket {
  private final double perNano;
  private final double capacity;
  private final LongSupplier nanos;
  private double tokens;
  private long last;

  public TokenBucket(double amount, Duration per, double burst) {
    this(amount, per, burst, System::nanoTime);
  }

  TokenBucket(double amount, Duration per, double burst, LongSupplier nanos) {
    this.perNano = amount / per.toNanos();
    this.capacity = burst;
    this.nanos = nanos;
    this.tokens = burst;
    this.last = nanos.getAsLong();
  }

  /** Takes that much if it is there. */
  public synchronized boolean tryTake(double amount) {
    refill();
    if (tokens < amount) {
      return false;
    }
    tokens -= amount;
    return true;
  }

  /** Takes that much, going into debt if need be; says how long to wait until it is paid. */
  synchronized Duration take(double amount) {
    refill();
    tokens -= amount;
    return tokens >= 0
        ? Duration.ZERO
        : Duration.ofNanos(Math.min((long) (-tokens / perNano), TimeUnit.HOURS.toNanos(1)));
  }

  /** How long it takes until that much is there, an hour at most. */
  public synchronized Duration until(double amount) {
    refill();
    return tokens >= amount
        ? Duration.ZERO
        : Duration.ofNanos(
            Math.min((long) ((amount - tokens) / perNano), TimeUnit.HOURS.toNanos(1)));
  }

  /** How much of the burst is taken now. */
  public synchronized double taken() {
    refill();
    return capacity - tokens;
  }

  private void refill() {
    long now = nanos.getAsLong();
    tokens = Math.min(capacity, tokens + (now - last) * perNano);
    last = now;
  }
}
