package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.protocol.wire.Stats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares forks of sandboxes that ask for it while they are idle, as between two runs of an agent
 * that thinks, so that a fork only hands over what exists.
 *
 * <p>A prepared fork may be used only while it is what a fork made now would be: nothing was asked
 * of the sandbox since, nothing but waiting kernels is in it, none of them has a thread of its own
 * that might work on, and no CPU time was spent. Otherwise it is thrown away, and the fork is made
 * in the usual way.
 */
final class ForkAhead {
  private static final Logger LOG = LoggerFactory.getLogger(ForkAhead.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(60);
  private static final long SPARE_BYTES = 2L << 30;

  /**
   * What the agent may use for itself, at once and as time goes on; CPU time is counted in ticks of
   * 10 ms.
   */
  private static final long OWN_CPU_MICROS = 30_000;

  private static final double OWN_CPU_SHARE = 0.01;

  private final StateSettings settings;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Machines machines;
  private final ImageStore images;
  private final DriverChoice drivers;
  private final LongSupplier memory;
  private final Map<String, Prepared> prepared = new ConcurrentHashMap<>();
  private final ReentrantLock ticking = new ReentrantLock();
  private volatile boolean closed;

  /**
   * The forks of one sandbox.
   *
   * @param version of the sandbox that they are copies of
   * @param checkpoint null when the sandbox was not quiet and nothing was prepared
   * @param before what the sandbox had used when they were made
   * @param since when that was, in nanoseconds
   */
  private record Prepared(
      long version,
      String copy,
      @Nullable Checkpoint checkpoint,
      Stats before,
      long since,
      List<WarmMachine> ready) {}

  ForkAhead(
      StateSettings settings,
      Registry registry,
      Lifecycle lifecycle,
      Machines machines,
      ImageStore images,
      DriverChoice drivers,
      LongSupplier memory) {
    this.settings = settings;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.images = images;
    this.drivers = drivers;
    this.memory = memory;
  }

  /** So many prepared forks, or none at all. */
  List<WarmMachine> take(LiveSandbox parent, int count) {
    Prepared forks = prepared.get(parent.id());
    if (forks == null || !isCurrent(forks, parent)) {
      return List.of();
    }
    synchronized (forks) {
      forks.ready().removeIf(machine -> isDead(machine));
      if (forks.ready().size() < count) {
        return List.of();
      }
      if (!isUntouched(forks, parent)) {
        // Something worked in it by itself: the next look throws these away and begins anew.
        parent.markChanged();
        return List.of();
      }
      List<WarmMachine> taken = new ArrayList<>(forks.ready().subList(0, count));
      forks.ready().subList(0, count).clear();
      taken.forEach(WarmMachine::rouse);
      return taken;
    }
  }

  /** One that died while it waited is removed, and not counted. */
  private boolean isDead(WarmMachine machine) {
    boolean dead = machine.incarnation().machine().exit().isDone();
    if (dead) {
      machines.remove(machine.incarnation());
    }
    return dead;
  }

  private static boolean isCurrent(Prepared forks, LiveSandbox parent) {
    return forks.checkpoint() != null
        && forks.version() == parent.version()
        && parent.info().state() == SandboxState.RUNNING
        && !parent.isBusy();
  }

  private static boolean isUntouched(Prepared forks, LiveSandbox parent) {
    Stats now = parent.guest().stats(DEADLINE);
    double micros = (System.nanoTime() - forks.since()) / 1e3;
    return now.getProcesses() == forks.before().getProcesses()
        && now.getCpuMicros() - forks.before().getCpuMicros()
            <= OWN_CPU_MICROS + micros * OWN_CPU_SHARE;
  }

  /** Looks after all sandboxes once, unless that is happening already. */
  void tick() {
    if (ticking.tryLock()) {
      try {
        look();
      } finally {
        ticking.unlock();
      }
    }
  }

  private void look() {
    for (Map.Entry<String, Prepared> entry : prepared.entrySet()) {
      LiveSandbox sandbox = registry.live(entry.getKey());
      if (sandbox == null
          || sandbox.version() != entry.getValue().version()
          || sandbox.info().forkAhead() == 0) {
        drop(entry.getKey(), entry.getValue());
      }
    }
    for (LiveSandbox sandbox : registry.all()) {
      if (!closed && sandbox.info().forkAhead() > 0 && isRipe(sandbox)) {
        try {
          prepare(sandbox);
        } catch (RuntimeException e) {
          LOG.warn("forks of {} could not be prepared: {}", sandbox.id(), e.getMessage());
        }
      }
    }
  }

  private boolean isRipe(LiveSandbox sandbox) {
    return sandbox.info().state() == SandboxState.RUNNING
        && !sandbox.isBusy()
        && Duration.between(sandbox.info().lastUsedAt(), Instant.now())
                .compareTo(settings.aheadDelay())
            >= 0;
  }

  private void prepare(LiveSandbox sandbox) {
    Prepared forks = prepared.get(sandbox.id());
    if (forks == null) {
      forks = begin(sandbox);
      prepared.put(sandbox.id(), forks);
    }
    Checkpoint checkpoint = forks.checkpoint();
    while (checkpoint != null && isMissing(sandbox, forks)) {
      WarmMachine machine = start(sandbox, checkpoint);
      boolean kept;
      synchronized (forks) {
        kept = !closed && forks.equals(prepared.get(sandbox.id()));
        if (kept) {
          forks.ready().add(machine);
        }
      }
      if (!kept) {
        machines.remove(machine.incarnation());
        return;
      }
    }
  }

  /** How many wait, for all sandboxes. */
  int size() {
    return prepared.values().stream().mapToInt(forks -> forks.ready().size()).sum();
  }

  private boolean isMissing(LiveSandbox sandbox, Prepared forks) {
    int all = size();
    synchronized (forks) {
      return !closed
          && forks.version() == sandbox.version()
          && forks.ready().size() < sandbox.info().forkAhead()
          && all < settings.maxAhead()
          && memory.getAsLong() > SPARE_BYTES + sandbox.body().machine().stats().memoryBytes();
    }
  }

  /** Copies the sandbox, if it is quiet. */
  private Prepared begin(LiveSandbox sandbox) {
    String copy = "ahead_" + Ids.machine();
    sandbox.lock.lock();
    try {
      lifecycle.requireLiving(sandbox);
      long version = sandbox.version();
      boolean quiet = sandbox.runs().isQuiet(DEADLINE);
      Incarnation body = sandbox.body();
      Checkpoint checkpoint =
          quiet
              ? lifecycle.freeze(sandbox, () -> body.machine().copy(images.aside(copy)), true)
              : null;
      Stats stats = sandbox.guest().stats(DEADLINE);
      return new Prepared(version, copy, checkpoint, stats, System.nanoTime(), new ArrayList<>());
    } finally {
      sandbox.lock.unlock();
    }
  }

  private WarmMachine start(LiveSandbox sandbox, Checkpoint checkpoint) {
    Driver driver = drivers.named(sandbox.info().driver()).orElseThrow();
    SandboxInfo child = NewSandbox.fork(Ids.sandbox(), sandbox.info(), ForkRequest.of(1));
    Identity identity = sandbox.identity(child);
    Incarnation incarnation =
        machines.restore(new Machines.Start(driver, checkpoint, false), identity);
    return new WarmMachine(incarnation, identity, sandbox.templateEnv(), Instant.now(), child)
        .rest();
  }

  private void drop(String sandbox, Prepared forks) {
    if (prepared.remove(sandbox, forks)) {
      List<WarmMachine> all;
      synchronized (forks) {
        all = List.copyOf(forks.ready());
        forks.ready().clear();
      }
      all.forEach(machine -> machines.remove(machine.incarnation()));
      images.discard(forks.copy());
    }
  }

  /** Removes all that is prepared, and waits for what is on its way. */
  void close() {
    closed = true;
    boolean quiet = false;
    try {
      quiet = ticking.tryLock(CLOSE_PATIENCE.toSeconds(), TimeUnit.SECONDS);
      prepared.forEach(this::drop);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (quiet) {
        ticking.unlock();
      }
    }
  }
}
