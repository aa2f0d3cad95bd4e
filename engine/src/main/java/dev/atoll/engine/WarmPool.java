package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Machines of one shape that are kept ready. They belong to no sandbox yet and do not outlive the
 * server: the next one makes its own. Thread-safe.
 */
final class WarmPool implements PoolKeeper.Stock {
  private static final Logger LOG = LoggerFactory.getLogger(WarmPool.class);

  private final String name;
  private final Machines machines;
  private final Plan plan;
  private final Deque<WarmMachine> ready = new ArrayDeque<>();
  // Taken, and no sandboxes yet.
  private final Set<WarmMachine> leaving = new HashSet<>();
  private int warm;
  private int filling;
  private boolean closed;
  private long hits;
  private long misses;
  private long refills;
  private double refillSeconds;
  private @Nullable Double lastRefillMillis;
  private @Nullable String problem;
  private Instant notBefore = Instant.MIN;
  private volatile IntSupplier bound = () -> Integer.MAX_VALUE;
  private volatile Runnable taken = () -> {};

  /** What the machines of a pool are made from. */
  interface Plan {
    /** The digest of the template that new sandboxes have now; null when it is not built yet. */
    @Nullable String digest();

    Origin origin();

    /** A sandbox of the pool's shape. */
    SandboxInfo sandbox(String id, Origin origin);

    /** Whether a sandbox that was not asked of this pool may come from it all the same. */
    boolean fits(SandboxInfo info);

    /** Keeps the place that a machine takes from whoever pays for it, until it is in the pool. */
    default Runnable hold(SandboxInfo blank) {
      return () -> {};
    }
  }

  /** How a pool has done since the server started. */
  record Statistics(
      int ready,
      long hits,
      long misses,
      @Nullable Double oldestSeconds,
      long refills,
      double refillSeconds,
      @Nullable Double lastRefillMillis,
      @Nullable String problem) {}

  WarmPool(String name, int warm, Machines machines, Plan plan) {
    this.name = name;
    this.warm = warm;
    this.machines = machines;
    this.plan = plan;
  }

  @Override
  public void onTake(Runnable listener) {
    taken = listener;
  }

  /**
   * A machine, if one is ready; it has {@link #left} when it is a sandbox, or nothing came of it.
   */
  @Nullable WarmMachine take() {
    WarmMachine machine;
    synchronized (this) {
      machine = ready.pollFirst();
      if (machine == null) {
        misses++;
      } else {
        hits++;
        leaving.add(machine);
      }
    }
    taken.run();
    return machine == null ? null : machine.rouse();
  }

  synchronized void left(WarmMachine machine) {
    leaving.remove(machine);
  }

  /** The machines of this pool that are no sandboxes yet. */
  synchronized List<SandboxInfo> waiting() {
    return Stream.concat(ready.stream(), leaving.stream()).map(WarmMachine::blank).toList();
  }

  /** Whether sandboxes like this one come from here. */
  boolean fits(SandboxInfo info) {
    return plan.fits(info);
  }

  /** A machine for a sandbox, if it has this pool's shape and one is ready. */
  @Nullable WarmMachine takeFor(SandboxInfo info) {
    if (!plan.fits(info)) {
      return null;
    }
    WarmMachine machine = take();
    if (machine != null) {
      left(machine);
    }
    if (machine != null && !machine.digest().equals(info.templateDigest())) {
      // The template has changed since; the pool will notice too.
      machines.remove(machine.incarnation());
      return null;
    }
    return machine;
  }

  synchronized void resize(int newWarm) {
    warm = newWarm;
  }

  /** Says how many may still be taken; no more than that are kept. */
  void bound(IntSupplier newBound) {
    bound = newBound;
  }

  private int wanted() {
    return Math.max(0, Math.min(warm, bound.getAsInt()));
  }

  /** How many machines are missing, not counting those on their way. */
  private synchronized int missing() {
    return closed || Instant.now().isBefore(notBefore) ? 0 : wanted() - ready.size() - filling;
  }

  @Override
  public boolean tend(BooleanSupplier room) {
    String digest = digest();
    for (WarmMachine stale : stale(digest)) {
      machines.remove(stale.incarnation());
    }
    if (digest == null || missing() <= 0 || !room.getAsBoolean()) {
      return false;
    }
    synchronized (this) {
      filling++;
    }
    try {
      fill();
    } finally {
      synchronized (this) {
        filling--;
      }
    }
    return missing() > 0;
  }

  @Override
  public void drop(String digest) {
    List<WarmMachine> dropped = new ArrayList<>();
    synchronized (this) {
      ready.removeIf(machine -> machine.digest().equals(digest) && dropped.add(machine));
    }
    dropped.forEach(machine -> machines.remove(machine.incarnation()));
  }

  private @Nullable String digest() {
    try {
      return plan.digest();
    } catch (AtollException e) {
      note(e);
      return null;
    }
  }

  private synchronized List<WarmMachine> stale(@Nullable String digest) {
    List<WarmMachine> stale = new ArrayList<>();
    ready.removeIf(
        machine -> {
          boolean old = digest != null && !machine.digest().equals(digest);
          if (old) {
            stale.add(machine);
          }
          return old;
        });
    while (ready.size() > wanted()) {
      stale.add(ready.removeLast());
    }
    return stale;
  }

  private void fill() {
    Runnable release = () -> {};
    try (Origin origin = plan.origin()) {
      SandboxInfo blank = plan.sandbox(Ids.sandbox(), origin);
      release = plan.hold(blank);
      fill(origin, blank);
    } catch (RuntimeException e) {
      note(e);
    } finally {
      release.run();
    }
  }

  private void fill(Origin origin, SandboxInfo blank) {
    long began = System.nanoTime();
    // Secrets are given when it is claimed: until then it belongs to nobody.
    Identity identity = Identity.of(blank, origin.templateEnv(), Map.of());
    Incarnation incarnation = machines.start(origin, identity);
    WarmMachine machine =
        new WarmMachine(incarnation, identity, origin.templateEnv(), Instant.now(), blank).rest();
    boolean kept;
    synchronized (this) {
      double seconds = (System.nanoTime() - began) / 1e9;
      refills++;
      refillSeconds += seconds;
      lastRefillMillis = seconds * 1000;
      problem = null;
      kept = !closed;
      if (kept) {
        ready.addLast(machine);
      }
    }
    if (kept) {
      incarnation.onLoss(loss -> lost(machine));
    } else {
      machines.remove(incarnation);
    }
  }

  private void lost(WarmMachine machine) {
    boolean ours;
    synchronized (this) {
      ours = ready.remove(machine);
    }
    if (ours) {
      LOG.warn("pool {}: machine {} died while it waited", name, machine.id());
      machines.remove(machine.incarnation());
    }
  }

  private synchronized void note(RuntimeException e) {
    String now = String.valueOf(e.getMessage());
    notBefore = Instant.now().plus(Duration.ofSeconds(5));
    if (!now.equals(problem)) {
      LOG.warn("pool {} cannot be filled: {}", name, now);
    }
    problem = now;
  }

  /** Removes all machines; none comes after them. */
  void close() {
    List<WarmMachine> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(ready);
      ready.clear();
    }
    all.forEach(machine -> machines.remove(machine.incarnation()));
  }

  synchronized Statistics statistics() {
    WarmMachine oldest = ready.peekFirst();
    return new Statistics(
        ready.size(),
        hits,
        misses,
        oldest == null
            ? null
            : Duration.between(oldest.readySince(), Instant.now()).toMillis() / 1000.0,
        refills,
        refillSeconds,
        lastRefillMillis,
        problem);
  }
}
