package dev.atoll.engine;

import dev.atoll.model.SandboxInfo;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Machines for programs that run once: of every template that was used of late, the next one is
 * made while the last one is in use. Thread-safe.
 */
final class UsedTemplates implements PoolKeeper.Stock {
  /** Templates that nobody used this long are given up, and so is the oldest beyond this many. */
  static final Duration KEEP = Duration.ofMinutes(10);

  static final int MAX = 4;

  private final Function<Use, WarmPool> pools;
  private final Clock clock;
  // In the order of their last use.
  private final Map<Use, Shelf> shelves = new LinkedHashMap<>();
  private boolean closed;
  private volatile Runnable taken = () -> {};

  /** A template, as the project knows it that uses it. */
  record Use(String project, String template) {}

  private record Shelf(WarmPool pool, Instant used) {}

  /**
   * @param pools makes an empty pool of a template
   */
  UsedTemplates(Function<Use, WarmPool> pools, Clock clock) {
    this.pools = pools;
    this.clock = clock;
  }

  @Override
  public void onTake(Runnable listener) {
    taken = listener;
  }

  /** A machine for a sandbox, if one is ready; from now on there will be one more. */
  @Nullable WarmMachine takeFor(String project, SandboxInfo info) {
    WarmPool pool;
    synchronized (this) {
      if (closed || info.snapshot() != null) {
        return null;
      }
      Use use = new Use(project, info.template());
      Shelf old = shelves.remove(use);
      pool = old == null ? pools.apply(use) : old.pool();
      shelves.put(use, new Shelf(pool, clock.instant()));
    }
    WarmMachine machine = pool.takeFor(info);
    taken.run();
    return machine;
  }

  @Override
  public boolean tend(BooleanSupplier room) {
    given().forEach(WarmPool::close);
    boolean more = false;
    for (WarmPool pool : all()) {
      more |= pool.tend(room);
    }
    return more;
  }

  @Override
  public void drop(String digest) {
    all().forEach(pool -> pool.drop(digest));
  }

  private synchronized List<WarmPool> given() {
    List<WarmPool> given = new ArrayList<>();
    Instant since = clock.instant().minus(KEEP);
    for (Use use : List.copyOf(shelves.keySet())) {
      Shelf shelf = shelves.get(use);
      // One that cannot be filled, since its template was deleted for example, has to be used
      // again.
      if (shelf != null
          && (shelves.size() > MAX
              || shelf.used().isBefore(since)
              || shelf.pool().statistics().problem() != null)) {
        given.add(shelf.pool());
        shelves.remove(use);
      }
    }
    return given;
  }

  /** The pools that there are now. */
  synchronized List<WarmPool> all() {
    return shelves.values().stream().map(Shelf::pool).toList();
  }

  /** Removes all machines; none comes after them. */
  void close() {
    List<WarmPool> last;
    synchronized (this) {
      closed = true;
      last = all();
      shelves.clear();
    }
    last.forEach(WarmPool::close);
  }
}
