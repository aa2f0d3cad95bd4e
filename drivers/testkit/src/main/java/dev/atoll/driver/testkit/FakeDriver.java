package dev.atoll.driver.testkit;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineSpec;
import dev.atoll.model.DriverReport;
import dev.atoll.model.Isolation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A driver whose guests are objects in this process. They speak the real frames, keep files and
 * running programs in a checkpoint, and hold their limits; they run only a few built-in programs
 * and a few lines of a language that looks like Python (see {@link FakeContext}).
 *
 * <p>Drivers made with the same {@link FakeHost} see the same machines, as two server processes on
 * one host would. A root file system that holds a file named {@code hostile} gives a guest that
 * answers everything with garbage.
 */
public final class FakeDriver implements Driver {
  private final FakeHost host;
  private final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
  private final Queue<CountDownLatch> held = new ConcurrentLinkedQueue<>();
  private final Map<String, MachineSpec> prepared = new ConcurrentHashMap<>();

  public FakeDriver() {
    this(new FakeHost());
  }

  public FakeDriver(FakeHost host) {
    this.host = host;
  }

  /** Ends a machine as if its agent had died. */
  public void crash(String id) {
    host.find(id).orElseThrow().die(MachineExit.Cause.CRASHED, "crashed by the test");
  }

  /** Makes a machine's guest take nothing any more; what is returned opens when a write waits. */
  public CountDownLatch deafen(String id) {
    CountDownLatch waiting = new CountDownLatch(1);
    host.find(id).orElseThrow().deafen(waiting);
    return waiting;
  }

  /** Makes the next boot or restore fail. */
  public void failNext(RuntimeException problem) {
    failNext(problem, 1);
  }

  /** Makes as many of the next boots and restores fail. */
  public void failNext(RuntimeException problem, int times) {
    failures.addAll(Collections.nCopies(times, problem));
  }

  /** Makes the next boot or restore wait until the test lets it go on. */
  public void holdNext(CountDownLatch until) {
    held.add(until);
  }

  /** Whether one waits so. */
  public boolean holds(CountDownLatch until) {
    return !held.contains(until);
  }

  /** The machines that are running now. */
  public Set<String> machines() {
    return host.ids();
  }

  /** How much processor time a machine gets beside others. */
  public double weight(String machine) {
    return host.find(machine).orElseThrow().weight();
  }

  /** The machines that were begun ahead and wait. */
  public Set<String> prepared() {
    return Set.copyOf(prepared.keySet());
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Isolation isolation() {
    return Isolation.GVISOR;
  }

  @Override
  public DriverReport probe() {
    return new DriverReport(name(), isolation(), true, "1", List.of("nothing to check"), null);
  }

  @Override
  public DriverReport probeAnew() {
    return new DriverReport(name(), isolation(), true, "1", List.of("checked anew"), null);
  }

  @Override
  public Machine boot(MachineSpec spec) {
    failIfAsked();
    boolean hostile = Files.exists(spec.rootfs().resolve("hostile"));
    FakeGuest guest = new FakeGuest(new FakeState(), spec.limits(), hostile);
    FakeMachine machine = host.add(new FakeMachine(spec, guest, host));
    guest.sayHello();
    return machine.attach();
  }

  @Override
  public boolean prepare(MachineSpec spec) {
    prepared.put(spec.id(), spec);
    return true;
  }

  @Override
  public void discard(MachineSpec spec) {
    prepared.remove(spec.id());
  }

  @Override
  public Machine restore(Checkpoint checkpoint, MachineSpec spec) {
    MachineSpec ahead = prepared.remove(spec.id());
    if (ahead != null && !ahead.equals(spec)) {
      throw new IllegalArgumentException("machine " + spec.id() + " was prepared otherwise");
    }
    failIfAsked();
    FakeState state = FakeState.read(checkpoint.directory());
    FakeGuest guest = new FakeGuest(state, spec.limits(), false);
    return host.add(new FakeMachine(spec, guest, host)).attach();
  }

  @Override
  public Optional<Machine> reattach(String id, Path directory) {
    return host.find(id)
        .filter(machine -> machine.directory().equals(directory))
        .map(machine -> machine.again().attach());
  }

  @Override
  public List<String> sweep(Path root, Set<String> machines) {
    List<FakeMachine> strays =
        host.all().stream()
            .filter(machine -> root.equals(machine.directory().getParent()))
            .filter(machine -> !machines.contains(machine.id()))
            .toList();
    strays.forEach(FakeMachine::close);
    return strays.stream().map(stray -> "machine " + stray.id()).toList();
  }

  private void failIfAsked() {
    CountDownLatch until = held.poll();
    if (until != null) {
      await(until);
    }
    RuntimeException problem = failures.poll();
    if (problem != null) {
      throw problem;
    }
  }

  private static void await(CountDownLatch until) {
    try {
      if (!until.await(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException("the test lets nothing go on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
