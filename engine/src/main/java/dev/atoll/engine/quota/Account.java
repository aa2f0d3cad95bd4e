package dev.atoll.engine.quota;

import dev.atoll.engine.net.TokenBucket;
import dev.atoll.model.QuotaLimits;
import dev.atoll.model.QuotaName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The limits of one project, and what is held of them by things that are on their way. */
final class Account {
  /** Held while something is found to fit and is held; taken before the store's lock. */
  final ReentrantLock lock = new ReentrantLock();

  private final QuotaLimits standard;
  private final List<Hold> holds = new ArrayList<>();
  private volatile QuotaLimits own;
  private volatile @Nullable TokenBucket requests;

  Account(QuotaLimits standard, QuotaLimits own) {
    this.standard = standard;
    this.own = own;
    this.requests = bucket();
  }

  QuotaLimits own() {
    return own;
  }

  /** The limit of a quota; null when there is none. */
  @Nullable Double limit(QuotaName quota) {
    Double limit = own.or(standard).of(quota);
    return limit == null || limit == QuotaLimits.UNLIMITED ? null : limit;
  }

  void own(QuotaLimits limits) {
    own = limits;
    requests = bucket();
  }

  /** What a second allows may come at once. */
  private @Nullable TokenBucket bucket() {
    Double rate = limit(QuotaName.REQUESTS_PER_SECOND);
    return rate == null
        ? null
        : new TokenBucket(rate, Duration.ofSeconds(1), rate == 0 ? 0 : Math.max(1, rate));
  }

  /** How requests are let through; null for all. */
  @Nullable TokenBucket requests() {
    return requests;
  }

  /** With the lock held. */
  List<Hold> holds() {
    return holds;
  }
}
