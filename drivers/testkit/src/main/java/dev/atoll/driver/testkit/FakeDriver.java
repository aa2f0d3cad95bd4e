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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

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
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

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

  /** Makes the next boot or restore fail. */
  public void failNext(RuntimeException problem) {
    failure.set(problem);
  }

  /** The machines that are running now. */
  public Set<String> machines() {
    return host.ids();
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
  public Machine boot(MachineSpec spec) {
    failIfAsked();
    boolean hostile = Files.exists(spec.rootfs().resolve("hostile"));
    FakeGuest guest = new FakeGuest(new FakeState(), spec.limits(), hostile);
    FakeMachine machine = host.add(new FakeMachine(spec, guest, host));
    guest.sayHello();
    return machine.attach();
  }

  @Override
  public Machine restore(Checkpoint checkpoint, MachineSpec spec) {
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
    RuntimeException problem = failure.getAndSet(null);
    if (problem != null) {
      throw problem;
    }
  }
}
