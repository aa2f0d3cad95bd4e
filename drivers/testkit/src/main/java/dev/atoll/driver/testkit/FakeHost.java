package dev.atoll.driver.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Where fake machines run: what is left when a server process ends and another one starts. */
public final class FakeHost {
  private final Map<String, FakeMachine> machines = new ConcurrentHashMap<>();

  FakeMachine add(FakeMachine machine) {
    if (machines.putIfAbsent(machine.id(), machine) != null) {
      throw new IllegalStateException("there is a machine " + machine.id() + " already");
    }
    return machine;
  }

  void remove(FakeMachine machine) {
    machines.remove(machine.id(), machine);
  }

  /** Takes over from the object that stood for the same machine. */
  void replace(FakeMachine machine) {
    machines.put(machine.id(), machine);
  }

  Optional<FakeMachine> find(String id) {
    return Optional.ofNullable(machines.get(id));
  }

  List<FakeMachine> all() {
    return List.copyOf(machines.values());
  }

  Set<String> ids() {
    return Set.copyOf(machines.keySet());
  }

  static void after(Duration delay, Runnable task) {
    CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
  }
}
