package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.QuotaName;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.protocol.wire.Stats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
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

  /** After that, a sandbox that was not quiet is looked at again. */
  private static final Duration UNQUIET = Duration.ofSeconds(5);

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
  private final Quotas quotas;
  private final Map<String, Prepared> prepared = new ConcurrentHashMap<>();
  // Taken, and no sandboxes yet.
  private final Set<WarmMachine> leaving = ConcurrentHashMap.newKeySet();
  private final ReentrantLock ticking = new ReentrantLock();
  private volatile boolean closed;

  /**
   * The forks of one sandbox.
   *
   * @param version of the sandbox that they are copies of
   * @param checkpoint null when the sandbox was not quiet and nothing was prepared
   * @param before what the sandbox had used when they were made
   * @param since when that was, in nanoseconds
   * @param ready changed with this object's monitor held, and read without
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
      LongSupplier memory,
      Quotas quotas) {
    this.settings = settings;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.images = images;
    this.drivers = drivers;
    this.memory = memory;
    this.quotas = quotas;
    quotas.count(Set.of(QuotaName.MEMORY, QuotaName.CPUS), this::charges);
  }

  /** A fork that is prepared takes memory, and belongs to the project whose sandbox wants it. */
  private Stream<Charge> charges(String project) {
    Stream<WarmMachine> ready =
        prepared.entrySet().stream()
            .filter(entry -> isOf(project, entry.getKey()))
            .flatMap(entry -> entry.getValue().ready().stream());
    return Stream.concat(
            ready, leaving.stream().filter(machine -> isOf(project, machine.blank().parent())))
        .map(machine -> charge(machine.blank()));
  }

  private boolean isOf(String project, @Nullable String sandbox) {
    LiveSandbox parent = sandbox == null ? null : registry.live(sandbox);
    return parent != null && parent.project().equals(project);
  }

  private static Charge charge(SandboxInfo fork) {
    return Charge.machine(
        "prepared fork", fork.id(), "of " + fork.parent(), fork.cpus(), fork.memoryMiB());
  }

  /**
   * So many prepared forks, or none at all; they are {@link #handedOver} when they are sandboxes,
   * or nothing came of them.
   */
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
      leaving.addAll(taken);
      forks.ready().subList(0, count).clear();
      taken.forEach(WarmMachine::rouse);
      return taken;
    }
  }

  void handedOver(List<WarmMachine> forks) {
    leaving.removeAll(forks);
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
          || sandbox.info().forkAhead() == 0
          || isWorthAnotherLook(entry.getValue())) {
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

  private static boolean isWorthAnotherLook(Prepared forks) {
    return forks.checkpoint() == null && System.nanoTime() - forks.since() > UNQUIET.toNanos();
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
      SandboxInfo child = NewSandbox.fork(Ids.sandbox(), sandbox.info(), ForkRequest.of(1));
      Hold hold = quotas.holdIfFree(sandbox.project(), charge(child));
      if (hold == null) {
        return;
      }
      try (hold) {
        if (!keep(sandbox, forks, start(sandbox, child, checkpoint))) {
          return;
        }
      }
    }
  }

  private boolean keep(LiveSandbox sandbox, Prepared forks, WarmMachine machine) {
    boolean kept;
    synchronized (forks) {
      kept = !closed && forks.equals(prepared.get(sandbox.id()));
      if (kept) {
        forks.ready().add(machine);
      }
    }
    if (!kept) {
      machines.remove(machine.incarnation());
    }
    return kept;
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
      return new Prepared(
          version, copy, checkpoint, stats, System.nanoTime(), new CopyOnWriteArrayList<>());
    } finally {
      sandbox.lock.unlock();
    }
  }

  private WarmMachine start(LiveSandbox sandbox, SandboxInfo child, Checkpoint checkpoint) {
    Driver driver = drivers.named(sandbox.info().driver()).orElseThrow();
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
