package dev.atoll.engine.net;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The names that a sandbox has asked for. What could carry data out in questions for names is
 * limited: how many questions leave the server, and how much is new in them.
 */
final class AskedNames {
  private static final int REMEMBERED = 4096;

  /** Lookups under way, so that one sandbox with a slow name server does not hold up others. */
  private static final int AT_ONCE = 8;

  private final TrafficAccount account;
  private final Resolver resolver;
  private final Semaphore permits = new Semaphore(AT_ONCE, true);
  private final AtomicLong distinct = new AtomicLong();
  private final Map<String, Boolean> seen =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  AskedNames(TrafficAccount account, Resolver resolver) {
    this.account = account;
    this.resolver = resolver;
  }

  /** Counts a question; says which limit it passes, null when none. */
  @Nullable String ask(String name) {
    boolean known = isKnown(name);
    if (known && resolver.knows(name)) {
      return null;
    }
    String over = account.query(known ? 0 : NameWeight.of(name));
    if (over == null && !known) {
      synchronized (seen) {
        seen.put(name, true);
      }
      distinct.incrementAndGet();
    }
    return over;
  }

  Resolver.Answer lookUp(String name, Duration deadline) {
    return resolver.resolve(name, deadline, permits);
  }

  boolean isKnown(String name) {
    synchronized (seen) {
      return seen.containsKey(name);
    }
  }

  /** How many different names were looked up. */
  long distinct() {
    return distinct.get();
  }
}
