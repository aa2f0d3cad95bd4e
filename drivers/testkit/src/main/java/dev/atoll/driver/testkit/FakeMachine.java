package dev.atoll.driver.testkit;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.FrameStream;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.MachineStats;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A machine of {@link FakeDriver}. */
final class FakeMachine implements Machine {
  private final MachineSpec spec;
  private final FakeGuest guest;
  private final FakeHost host;
  private final FakeStream stream;
  private volatile double weight = 1;
  private final CompletableFuture<MachineExit> exit = new CompletableFuture<>();

  FakeMachine(MachineSpec spec, FakeGuest guest, FakeHost host) {
    this.spec = spec;
    this.guest = guest;
    this.host = host;
    this.stream =
        new FakeStream(
            guest,
            guest.output().length(),
            problem -> die(MachineExit.Cause.PROTOCOL, String.valueOf(problem.getMessage())));
  }

  FakeMachine attach() {
    guest.onDeath(this::finish);
    return this;
  }

  /** The same machine as seen by another server process. */
  FakeMachine again() {
    stream.close();
    FakeMachine machine = new FakeMachine(spec, guest, host);
    host.replace(machine);
    return machine;
  }

  void deafen(CountDownLatch waiting) {
    stream.deafen(waiting);
  }

  double weight() {
    return weight;
  }

  Path directory() {
    return spec.directory();
  }

  void die(MachineExit.Cause cause, String message) {
    guest.die(cause, message);
  }

  private void finish(MachineExit how) {
    host.remove(this);
    exit.complete(how);
  }

  @Override
  public String id() {
    return spec.id();
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public FrameStream stream() {
    return stream;
  }

  @Override
  public Checkpoint checkpoint(Path target, boolean keepRunning) {
    guest.writeTo(target);
    if (!keepRunning) {
      die(MachineExit.Cause.CLOSED, "stopped with a checkpoint");
    }
    return new Checkpoint(target, spec.rootfs());
  }

  @Override
  public Checkpoint copy(Path target) {
    return checkpoint(target, true);
  }

  @Override
  public void weigh(double part) {
    weight = part;
  }

  @Override
  public void pause() {
    guest.pause();
  }

  @Override
  public void resume() {
    guest.resume();
  }

  @Override
  public MachineStats stats() {
    return guest.stats();
  }

  @Override
  public CompletableFuture<MachineExit> exit() {
    return exit;
  }

  @Override
  public void close() {
    die(MachineExit.Cause.CLOSED, "closed");
    stream.close();
  }

  @Override
  public void detach() {
    stream.close();
  }
}
