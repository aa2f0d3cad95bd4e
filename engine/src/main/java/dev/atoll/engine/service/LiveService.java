package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.engine.store.ServiceRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstanceState;
import dev.atoll.model.PortAccess;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceScale;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.ServiceState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A service: gives requests to its instances, and decides how many of them there are. What takes
 * time is done by {@link Upkeep}, without the lock.
 */
final class LiveService {
  private static final int MOST_WAITING = 1000;

  /** Held while anything below is read or changed; taken before the store's lock. */
  final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final ServiceRows.Row row;
  private final ServiceLog log;
  private final Upkeep upkeep;
  private final Fleet fleet = new Fleet();
  private final Setback setback = new Setback();
  private ServiceSpec spec;
  private int revision;
  private @Nullable String snapshot;
  private @Nullable Serving previous;
  private @Nullable Instance building;
  private boolean deploying;
  private boolean closed;
  private boolean deleted;

  /** No instance is started before a request wants one, whatever the minimum. */
  private boolean stopped;

  private int waiting;
  private boolean retrying;

  /** A revision and what its instances are made from. */
  record Serving(int revision, String snapshot) {}

  LiveService(ServiceRows.Row row, ServiceLog log, Parts parts) {
    this.row = row;
    this.log = log;
    this.spec = row.spec();
    this.revision = row.revision();
    this.upkeep = new Upkeep(this, parts);
  }

  String id() {
    return row.id();
  }

  String project() {
    return row.project();
  }

  String name() {
    return row.spec().name();
  }

  ServiceLog log() {
    return log;
  }

  Upkeep upkeep() {
    return upkeep;
  }

  ServiceSpec spec() {
    return locked(() -> spec);
  }

  int revision() {
    return locked(() -> revision);
  }

  /** What instances are made from. */
  @Nullable String snapshot() {
    return locked(() -> snapshot);
  }

  /** The revision that served before and can again. */
  @Nullable Serving previous() {
    return locked(() -> previous);
  }

  /** Whether nothing is to be watched any more. */
  boolean over() {
    return locked(() -> closed || deleted);
  }

  /** Whether the server stops, so that everything is left as it is. */
  boolean closed() {
    return locked(() -> closed);
  }

  boolean deleted() {
    return locked(() -> deleted);
  }

  private interface Reading<T extends @Nullable Object> {
    T read();
  }

  private <T extends @Nullable Object> T locked(Reading<T> reading) {
    lock.lock();
    try {
      return reading.read();
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // Requests.

  /** Finds an instance for a request, and starts one if need be; the caller gives it back. */
  Instance take(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      if (waiting >= MOST_WAITING) {
        throw unavailable(MOST_WAITING + " requests wait already");
      }
      waiting++;
      try {
        return await(deadline, patience);
      } finally {
        waiting--;
      }
    } finally {
      lock.unlock();
    }
  }

  private Instance await(long deadline, Duration patience) {
    while (true) {
      requireOpen();
      stopped = false;
      Instance free = fleet.free(spec.scale().concurrency());
      if (free != null) {
        free.inFlight++;
        return free;
      }
      if (fleet.lacks(waiting, spec.scale())) {
        grow();
      }
      if (!fleet.hopeful()) {
        String problem = setback.problem();
        throw unavailable(problem == null ? "no instance can be started" : problem);
      }
      try {
        long left = changed.awaitNanos(deadline - System.nanoTime());
        if (left <= 0) {
          throw unavailable(
              "no instance could take the request within " + patience.toSeconds() + " s");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting");
      }
    }
  }

  private void requireOpen() {
    if (deleted) {
      throw Services.unknown(name());
    }
    if (closed) {
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "the server is stopping", "try again");
    }
  }

  private AtollException unavailable(String why) {
    Map<String, Object> details = new HashMap<>(Map.of("service", name()));
    if (!setback.lastWords().isEmpty()) {
      details.put("log", setback.lastWords());
    }
    return new AtollException(
        ErrorCode.SERVICE_UNAVAILABLE,
        "service %s: %s".formatted(name(), why),
        "look with `atoll services logs %s`; max and concurrency say how much it takes"
            .formatted(name()),
        details,
        null);
  }

  /** A request to the instance is over. */
  void release(Instance instance) {
    change(
        () -> {
          instance.inFlight--;
          instance.idleSince = System.nanoTime();
        });
  }

  // Scaling; with the lock held.

  /** Wakes an instance, or makes one, unless the last attempt has just failed. */
  private void grow() {
    if (!setback.pause().isZero() || closed || deleted || revision == 0) {
      return;
    }
    for (Instance asleep : fleet.asleep()) {
      asleep.state = InstanceState.STARTING;
      upkeep.bring(asleep);
      return;
    }
    if (fleet.current().size() < spec.scale().max()) {
      Instance made = new Instance(upkeep.newName(name(), revision), revision);
      fleet.add(made);
      upkeep.bring(made);
    }
  }

  /** Sees to it that as many are awake as always should be. */
  void review() {
    lock.lock();
    try {
      ServiceScale scale = spec.scale();
      int least = stopped ? 0 : scale.min();
      for (int more = least - fleet.awake(); more > 0; more--) {
        grow();
      }
      if (fleet.awake() < least && !retrying && !closed && !deleted) {
        retrying = true;
        upkeep.later(
            setback.pause().plusMillis(10),
            () -> {
              change(() -> retrying = false);
              review();
            });
      }
      List<Instance> asleep = fleet.asleep();
      int excess = fleet.current().size() - scale.max();
      asleep.stream().limit(Math.max(0, excess)).forEach(this::retire);
    } finally {
      lock.unlock();
    }
  }

  /** Lets an instance go once its requests are answered. */
  private void retire(Instance instance) {
    boolean still =
        instance.state == InstanceState.HIBERNATED
            || (instance.state == InstanceState.READY && !instance.settling);
    instance.state = InstanceState.DRAINING;
    if (still) {
      upkeep.drain(instance);
    }
    // Otherwise whoever is busy with it ends it.
  }

  /**
   * Marks an instance that nobody has asked for long enough; it is then brought to disk.
   *
   * @return how long to wait before the next look, or null when there is nothing to look at any
   *     more; zero: it is to be brought to disk now
   */
  @Nullable Duration rest(Instance instance) {
    lock.lock();
    try {
      if (closed || deleted || instance.state == InstanceState.DRAINING || instance.run == null) {
        return null;
      }
      long idle = Math.round(spec.scale().idleSeconds() * 1e9);
      long left = idle - (System.nanoTime() - instance.idleSince);
      if (instance.inFlight > 0 || instance.state != InstanceState.READY) {
        return Duration.ofNanos(idle);
      }
      if (left > 0) {
        return Duration.ofNanos(left);
      }
      if (instance.probing || fleet.awake() <= spec.scale().min()) {
        return Duration.ofNanos(Math.min(idle, TimeUnit.SECONDS.toNanos(5)));
      }
      instance.settling = true;
      return Duration.ZERO;
    } finally {
      lock.unlock();
    }
  }

  /** It is on disk, or could not be brought there. */
  void rested(Instance instance, boolean asleep) {
    change(
        () -> {
          instance.settling = false;
          instance.idleSince = System.nanoTime();
          if (asleep) {
            instance.run = null;
          }
          if (asleep && instance.state == InstanceState.READY) {
            instance.state = InstanceState.HIBERNATED;
          }
        });
  }

  // What becomes of instances.

  /** An instance takes requests from now on. */
  void ready(Instance instance, Run run) {
    change(
        () -> {
          if (instance.state == InstanceState.DRAINING) {
            return;
          }
          instance.run = run;
          instance.state = InstanceState.READY;
          instance.unhealthy = 0;
          instance.idleSince = System.nanoTime();
          setback.over();
          upkeep.look(instance, spec);
        });
  }

  /**
   * Takes an instance out of service to see what is wrong with it; false when it is out already.
   */
  boolean suspect(Instance instance) {
    lock.lock();
    try {
      if (instance.state != InstanceState.READY || instance.settling || closed || deleted) {
        return false;
      }
      instance.state = InstanceState.RESTARTING;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** An instance could not be brought up, or does not work any more. It is removed. */
  void failed(Instance instance, String why, List<String> words) {
    lock.lock();
    try {
      fleet.remove(instance);
      if (instance.state != InstanceState.DRAINING && !closed && !deleted) {
        setback.note(why, words);
      }
      instance.state = InstanceState.DRAINING;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    review();
  }

  /** Waits until an instance that is on its way out has no requests any more, or for too long. */
  void awaitDrained(Instance instance, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      while (instance.inFlight > 0 && !closed && !deleted) {
        if (changed.awaitNanos(deadline - System.nanoTime()) <= 0) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  void gone(Instance instance) {
    change(() -> fleet.remove(instance));
  }

  /** Takes in an instance that an earlier server left. */
  void adopt(Instance instance) {
    change(
        () -> {
          fleet.add(instance);
          if (instance.state == InstanceState.STARTING) {
            upkeep.bring(instance);
          }
        });
  }

  // Deployments.

  void madeFrom(String newSnapshot) {
    change(() -> snapshot = newSnapshot);
  }

  void servedBefore(Serving revisionBefore) {
    change(() -> previous = revisionBefore);
  }

  void beginDeployment() {
    lock.lock();
    try {
      requireOpen();
      if (deploying) {
        throw new AtollException(
            ErrorCode.CONFLICT,
            "service " + name() + " is being deployed already",
            "wait for that deployment to end");
      }
      deploying = true;
    } finally {
      lock.unlock();
    }
  }

  void building(@Nullable Instance instance) {
    change(() -> building = instance);
  }

  void endDeployment() {
    change(
        () -> {
          deploying = false;
          building = null;
        });
  }

  /**
   * Lets requests go to a new revision, from one to the next; instances of the one before answer
   * those that they have, and end.
   *
   * @param writing makes it lasting
   */
  void serve(
      int number,
      ServiceSpec newSpec,
      String newSnapshot,
      Instance first,
      Run run,
      Runnable writing) {
    lock.lock();
    try {
      requireOpen();
      writing.run();
      fleet.current().forEach(this::retire);
      previous = snapshot == null ? null : new Serving(revision, snapshot);
      spec = newSpec;
      revision = number;
      snapshot = newSnapshot;
      building = null;
      stopped = false;
      fleet.add(first);
      ready(first, run);
    } finally {
      lock.unlock();
    }
    review();
  }

  /** Changes the scale or the access. */
  void update(ServiceSpec newSpec, Runnable writing) {
    lock.lock();
    try {
      requireOpen();
      writing.run();
      spec = newSpec;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    review();
  }

  // Ending.

  /** Lets go of all instances without ending them. */
  void close() {
    change(() -> closed = true);
    instances().forEach(upkeep::letGo);
  }

  /** Ends all instances; returns when they are gone. The next request starts one. */
  void stop(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      requireOpen();
      stopped = true;
      List<Instance> going = fleet.all();
      fleet.current().forEach(this::retire);
      awaitThat(() -> fleet.all().stream().noneMatch(going::contains), deadline);
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more requests, and ends all instances; returns when they are gone. */
  void delete(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      deleted = true;
      changed.signalAll();
      Instance unfinished = building;
      if (unfinished != null) {
        upkeep.endSoon(unfinished);
      }
      fleet.current().forEach(this::retire);
      awaitThat(() -> !deploying && fleet.all().isEmpty(), deadline);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of instances, with the lock held. */
  private void awaitThat(BooleanSupplier gone, long deadline) {
    try {
      while (!gone.getAsBoolean()) {
        if (changed.awaitNanos(deadline - System.nanoTime()) <= 0) {
          throw new AtollException(
              ErrorCode.TIMEOUT,
              "the instances of " + name() + " did not end in time",
              "try again");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while a service ended");
    }
  }

  private List<Instance> instances() {
    return locked(fleet::all);
  }

  ServiceInfo info() {
    lock.lock();
    try {
      return new ServiceInfo(
          id(),
          name(),
          state(),
          revision,
          previous == null ? null : (Integer) previous.revision(),
          spec.listens(),
          spec.start(),
          spec.scale(),
          spec.access() == null ? PortAccess.PRIVATE : spec.access(),
          fleet.all().stream().map(Instance::info).toList(),
          waiting,
          row.createdAt(),
          setback.problem(),
          null);
    } finally {
      lock.unlock();
    }
  }

  private ServiceState state() {
    if (revision == 0) {
      return ServiceState.DEPLOYING;
    }
    if (fleet.awake() > 0) {
      return ServiceState.ACTIVE;
    }
    return setback.problem() == null ? ServiceState.ASLEEP : ServiceState.FAILING;
  }
}
