package dev.atoll.engine.service;

import dev.atoll.model.InstanceState;
import dev.atoll.model.ServiceScale;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The instances of a service, the oldest first. Guarded by the lock of its service. */
final class Fleet {
  private final List<Instance> all = new ArrayList<>();

  void add(Instance instance) {
    all.add(instance);
  }

  void remove(Instance instance) {
    all.remove(instance);
  }

  List<Instance> all() {
    return List.copyOf(all);
  }

  /** Those that are not on their way out. */
  List<Instance> current() {
    return all.stream().filter(i -> i.state != InstanceState.DRAINING).toList();
  }

  /**
   * One that can take a request. The oldest is filled first, so that the others become idle when
   * there is less to do.
   */
  @Nullable Instance free(int concurrency) {
    return all.stream().filter(i -> i.takes(concurrency)).findFirst().orElse(null);
  }

  /** How many run, or are about to. */
  int awake() {
    return count(i -> i.state != InstanceState.HIBERNATED && !i.settling);
  }

  /** How many will take requests soon. */
  int coming() {
    return count(i -> i.state == InstanceState.STARTING || i.state == InstanceState.RESTARTING);
  }

  /** Whether a request that waits can hope for one of them. */
  boolean hopeful() {
    return count(i -> i.state != InstanceState.HIBERNATED) > 0;
  }

  private int count(Predicate<Instance> which) {
    return (int) all.stream().filter(i -> i.state != InstanceState.DRAINING).filter(which).count();
  }

  /** Whether one more is needed for so many requests that wait. */
  boolean lacks(int waiting, ServiceScale scale) {
    return waiting > coming() * scale.concurrency()
        && current().size() - asleep().size() < scale.max();
  }

  List<Instance> asleep() {
    return all.stream().filter(i -> i.state == InstanceState.HIBERNATED).toList();
  }
}
