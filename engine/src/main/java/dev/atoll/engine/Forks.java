package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.quota.Hold;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes copies of running sandboxes: all of them, or none. */
final class Forks {
  private static final Logger LOG = LoggerFactory.getLogger(Forks.class);

  /** What the host keeps for itself. */
  private static final long RESERVE_BYTES = 256L << 20;

  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Machines machines;
  private final ImageStore images;
  private final DriverChoice drivers;
  private final LongSupplier memory;
  private final ForkAhead ahead;

  Forks(
      Registry registry,
      Lifecycle lifecycle,
      Machines machines,
      ImageStore images,
      DriverChoice drivers,
      LongSupplier memory,
      ForkAhead ahead) {
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.images = images;
    this.drivers = drivers;
    this.memory = memory;
    this.ahead = ahead;
  }

  ForkResult fork(LiveSandbox parent, ForkRequest request) {
    registry.requireRoom(parent.project(), request.count());
    List<WarmMachine> prepared = ahead.take(parent, request.count());
    if (!prepared.isEmpty()) {
      try {
        return new ForkResult(handOver(parent, request, prepared), true);
      } finally {
        ahead.handedOver(prepared);
      }
    }
    requireMemory(parent, request.count());
    List<SandboxInfo> children =
        IntStream.range(0, request.count())
            .mapToObj(i -> NewSandbox.fork(Ids.sandbox(), parent.info(), request))
            .toList();
    try (Hold _ = registry.hold(parent.project(), children)) {
      return new ForkResult(make(parent, children), false);
    }
  }

  /** Every child needs what its parent has, sooner or later. */
  private void requireMemory(LiveSandbox parent, int count) {
    long each = parent.body().machine().stats().memoryBytes();
    long available = memory.getAsLong();
    if (each * count + RESERVE_BYTES > available) {
      throw new AtollException(
          ErrorCode.INSUFFICIENT_MEMORY,
          "%d children of %d MiB need more than the %d MiB that the host has left"
              .formatted(count, each >> 20, available >> 20),
          "fork fewer, or end or hibernate other sandboxes",
          Map.of("neededBytes", each * count, "availableBytes", available),
          null);
    }
  }

  private List<SandboxInfo> make(LiveSandbox parent, List<SandboxInfo> children) {
    registry.together(
        () -> children.forEach(child -> registry.register(parent.project(), child, null, null)));
    String copy = "fork_" + children.getFirst().id();
    List<Incarnation> started = new ArrayList<>();
    boolean done = false;
    try {
      Checkpoint checkpoint = machines.room().telling(() -> copy(parent, images.aside(copy)));
      started.addAll(start(parent, children, checkpoint));
      List<SandboxInfo> running = begin(parent, children, started);
      done = true;
      return running;
    } finally {
      images.discard(copy);
      if (!done) {
        started.forEach(machines::remove);
        registry.freeing(() -> children.forEach(child -> registry.unregister(child.id())));
      }
    }
  }

  private Checkpoint copy(LiveSandbox parent, Path target) {
    parent.lock.lock();
    try {
      lifecycle.requireLiving(parent);
      Incarnation body = parent.body();
      return lifecycle.freeze(parent, () -> body.machine().copy(target), true);
    } finally {
      parent.lock.unlock();
    }
  }

  /** All machines at once; when one fails the others are removed again. */
  private List<Incarnation> start(
      LiveSandbox parent, List<SandboxInfo> children, Checkpoint checkpoint) {
    Driver driver = drivers.named(parent.info().driver()).orElseThrow();
    Machines.Start start = new Machines.Start(driver, checkpoint, false);
    List<Incarnation> started = new ArrayList<>();
    RuntimeException failure = null;
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Incarnation>> futures =
          children.stream()
              .map(child -> tasks.submit(() -> machines.restore(start, parent.identity(child))))
              .toList();
      for (Future<Incarnation> future : futures) {
        try {
          started.add(future.get());
        } catch (ExecutionException e) {
          failure = failed(e.getCause());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          failure = new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while forking");
        }
      }
    }
    if (failure != null) {
      started.forEach(machines::remove);
      throw failure;
    }
    return started;
  }

  private static RuntimeException failed(@Nullable Throwable cause) {
    LOG.warn("a fork failed and is undone as a whole", cause);
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private List<SandboxInfo> begin(
      LiveSandbox parent, List<SandboxInfo> children, List<Incarnation> started) {
    List<SandboxInfo> running =
        children.stream().map(c -> c.withState(SandboxState.RUNNING, null, null)).toList();
    registry.together(
        () -> {
          for (int i = 0; i < running.size(); i++) {
            registry.move(running.get(i), started.get(i).machine().id(), null);
          }
        });
    adopt(parent, running, started);
    return running;
  }

  private void adopt(
      LiveSandbox parent, List<SandboxInfo> children, List<Incarnation> incarnations) {
    for (int i = 0; i < children.size(); i++) {
      lifecycle.adopt(parent.child(children.get(i)), incarnations.get(i));
    }
  }

  private List<SandboxInfo> handOver(
      LiveSandbox parent, ForkRequest request, List<WarmMachine> prepared) {
    List<SandboxInfo> children =
        prepared.stream()
            .map(machine -> NewSandbox.fork(machine.id(), parent.info(), request))
            .map(child -> child.withState(SandboxState.RUNNING, null, null))
            .toList();
    boolean done = false;
    try (Hold _ = registry.hold(parent.project(), children)) {
      registry.together(
          () -> {
            for (int i = 0; i < children.size(); i++) {
              String machine = prepared.get(i).incarnation().machine().id();
              registry.register(parent.project(), children.get(i), machine, null);
            }
          });
      adopt(parent, children, prepared.stream().map(WarmMachine::incarnation).toList());
      done = true;
      return children;
    } finally {
      if (!done) {
        prepared.forEach(machine -> machines.remove(machine.incarnation()));
      }
    }
  }
}
