package dev.atoll.driver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.MachineStats;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Thawed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every driver must do. A driver's own test extends this class and says how its driver is
 * made, what its guests are made of, and how to see that nothing is left of a machine.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
public abstract class DriverContractTest {
  private static final long MIB = 1L << 20;
  protected static final MachineLimits ROOMY = new MachineLimits(2, 256 * MIB, 256 * MIB, 64);
  private static final Duration PAUSE = Duration.ofMillis(500);

  @TempDir private Path root;

  private Driver driver;
  private final List<Machine> machines = new ArrayList<>();

  /** A driver as a newly started server would make it; called several times in some tests. */
  protected abstract Driver newDriver();

  /** A root file system with an agent and the {@link TestPrograms}. */
  protected abstract Path rootfs();

  /**
   * A root file system whose agent says Hello and sends something that is no frame as soon as it
   * has received anything.
   */
  protected abstract Path hostileRootfs();

  /** Fails when the host still has something of a machine that was closed. */
  protected abstract void assertNothingLeft(String id, Path directory);

  @BeforeEach
  void makeDriver() {
    driver = newDriver();
  }

  @AfterEach
  void closeMachines() {
    machines.forEach(Machine::close);
  }

  @Test
  void probeFindsTheDriverWorking() {
    assertThat(driver.probe())
        .satisfies(report -> assertThat(report.available()).as("%s", report).isTrue())
        .satisfies(report -> assertThat(report.checks()).isNotEmpty());
  }

  @Test
  void bootedGuestSaysHello() {
    Machine machine = boot("m");

    assertThat(machine.stream().replayed()).isZero();
    assertThat(new GuestProbe(machine).hello().getGeneration()).isEqualTo(3);
  }

  @Test
  void programsRunInTheGuest() {
    GuestProbe guest = awake(boot("m"));

    GuestProgram.Output echo = guest.run("echo", "hello", "world");
    assertThat(echo.out()).isEqualTo("hello world\n");
    assertThat(echo.succeeded()).isTrue();
    assertThat(guest.run("false").exit().getCode()).isEqualTo(1);
  }

  @Test
  void restoreContinuesMemoryAndFilesUnderANewIdentity() {
    Machine original = boot("original");
    GuestProbe guest = awake(original);
    GuestProgram counter = guest.start("counter");
    assertThat(counter.ask("x")).isEqualTo("1");
    guest.writeFile("/tmp/note", "before");
    Checkpoint checkpoint = checkpointAndGoOn(original, guest, "c");
    original.close();

    GuestProbe restored = restore(checkpoint, "restored", ROOMY);

    assertThat(restored.adopt(counter).ask("x")).isEqualTo("2");
    assertThat(restored.readFile("/tmp/note")).isEqualTo("before");
  }

  @Test
  void machineBegunAheadTakesAnyState() {
    MachineSpec ahead = spec("ahead", ROOMY, rootfs());
    assertThat(driver.prepare(ahead)).isTrue();
    Machine original = boot("original");
    GuestProbe guest = awake(original);
    GuestProgram counter = guest.start("counter");
    counter.ask("x");
    Checkpoint checkpoint = checkpointAndGoOn(original, guest, "c");

    Machine machine = driver.restore(checkpoint, ahead);
    machines.add(machine);
    GuestProbe restored = new GuestProbe(machine).thaw(ROOMY);

    assertThat(machine.id()).isEqualTo("ahead");
    assertThat(restored.adopt(counter).ask("x")).isEqualTo("2");
    assertThat(machine.stats().memoryBytes()).isPositive();
    machine.close();
    assertNothingLeft("ahead", ahead.directory());
  }

  @Test
  void nothingIsLeftOfAMachineBegunAhead() {
    MachineSpec unused = spec("unused", ROOMY, rootfs());
    MachineSpec lost = spec("lost", ROOMY, rootfs());
    driver.prepare(unused);
    driver.prepare(lost);

    driver.discard(unused);
    driver.discard(unused);
    newDriver().sweep(root, Set.of());

    assertNothingLeft("unused", unused.directory());
    assertNothingLeft("lost", lost.directory());
  }

  @Test
  void twoRestoresOfOneCheckpointDiverge() {
    Machine original = boot("original");
    GuestProbe guest = awake(original);
    GuestProgram counter = guest.start("counter");
    counter.ask("x");
    Checkpoint checkpoint = checkpointAndGoOn(original, guest, "c");

    GuestProbe one = restore(checkpoint, "one", ROOMY);
    GuestProbe two = restore(checkpoint, "two", ROOMY);
    one.adopt(counter).ask("x");
    one.writeFile("/tmp/note", "one");
    two.writeFile("/tmp/note", "two");

    assertThat(one.adopt(counter).ask("x")).isEqualTo("3");
    assertThat(two.adopt(counter).ask("x")).isEqualTo("2");
    assertThat(one.readFile("/tmp/note")).isEqualTo("one");
    assertThat(two.readFile("/tmp/note")).isEqualTo("two");
  }

  @Test
  void checkpointCanLeaveTheMachineRunning() {
    Machine machine = boot("m");
    GuestProbe guest = awake(machine);
    GuestProgram counter = guest.start("counter");
    counter.ask("x");

    Checkpoint checkpoint = checkpointAndGoOn(machine, guest, "c");

    assertThat(counter.ask("x")).isEqualTo("2");
    assertThat(machine.exit()).isNotDone();
    assertThat(checkpoint.rootfs()).isEqualTo(rootfs());
    assertThat(checkpoint.directory()).isNotEmptyDirectory();
  }

  @Test
  void checkpointCanEndTheMachine() {
    Machine machine = boot("m");
    GuestProbe guest = awake(machine);
    guest.writeFile("/tmp/note", "kept");
    guest.quiesce();

    Checkpoint checkpoint = machine.checkpoint(root.resolve("c"), false);

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CLOSED);
    assertThat(restore(checkpoint, "again", ROOMY).readFile("/tmp/note")).isEqualTo("kept");
  }

  @Test
  void copyLeavesTheMachineRunningAndGoesItsOwnWay() {
    Machine machine = boot("m");
    GuestProbe guest = awake(machine);
    guest.writeFile("/tmp/note", "both");
    guest.quiesce();

    Checkpoint copy = machine.copy(root.resolve("c"));
    guest.thaw();
    guest.writeFile("/tmp/note", "parent");

    assertThat(restore(copy, "child", ROOMY).readFile("/tmp/note")).isEqualTo("both");
    assertThat(guest.readFile("/tmp/note")).isEqualTo("parent");
    assertThat(machine.exit()).isNotDone();
  }

  @Test
  void pausedGuestMakesNoProgress() {
    Machine machine = boot("m");
    GuestProgram ticker = awake(machine).start("ticker");
    ticker.readLine();

    machine.pause();
    while (ticker.pollLine(PAUSE) != null) {
      // What was on its way when the guest froze.
    }
    assertThat(ticker.pollLine(PAUSE)).isNull();

    machine.resume();
    assertThat(ticker.readLine()).isNotEmpty();
  }

  @Test
  void busyGuestIsPausedAgainAndAgain() {
    Machine machine = boot("m");
    GuestProgram ticker = awake(machine).start("ticker");
    for (int i = 0; i < 60; i++) {
      ticker.readLine();
      machine.pause();
      machine.resume();
    }
    assertThat(ticker.readLine()).isNotEmpty();
  }

  @Test
  void statsFollowWhatTheGuestDoes() {
    Machine machine = boot("m");
    GuestProbe guest = awake(machine);
    MachineStats before = machine.stats();
    assertThat(guest.run("eat-disk", "8", "/tmp/big").out()).contains("written");
    MachineStats after = machine.stats();

    assertThat(before.memoryBytes()).isBetween(MIB, 200 * MIB);
    assertThat(after.diskBytes() - before.diskBytes()).isBetween(8 * MIB, 24 * MIB);
    assertThat(after.cpuMicros()).isGreaterThan(before.cpuMicros());
  }

  @Test
  void exitIsToldWhenTheAgentDies() {
    Machine machine = boot("m");
    GuestProbe guest = awake(machine);

    // Only a guest may say this; an agent that hears it cannot trust its host any more.
    guest.send(Frame.newBuilder().setThawed(Thawed.getDefaultInstance()));

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CRASHED);
    assertThat(guest.awaitEnd()).isTrue();
  }

  @Test
  void closeLeavesNothingBehind() {
    Machine machine = boot("m");
    awake(machine).start("ticker");

    machine.close();
    machine.close();

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CLOSED);
    assertNothingLeft("m", root.resolve("m"));
  }

  @Test
  void pausedMachineCanBeClosed() {
    Machine machine = boot("m");
    machine.pause();
    machine.close();

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CLOSED);
    assertNothingLeft("m", root.resolve("m"));
  }

  @Test
  void newDriverTakesARunningMachineOver() {
    Machine machine = boot("m");
    GuestProgram ticker = awake(machine).start("ticker");
    ticker.readLine();
    machine.detach();
    GuestProbe.sleep(PAUSE);

    Machine taken = newDriver().reattach("m", root.resolve("m")).orElseThrow();
    machines.add(taken);

    assertThat(taken.stream().replayed()).isGreaterThanOrEqualTo(2);
    GuestProbe guest = new GuestProbe(taken);
    assertThat(guest.hello().getGeneration()).isEqualTo(3);
    GuestProgram same = guest.adopt(ticker);
    for (int tick = 1; tick <= 20; tick++) {
      assertThat(same.readLine()).isEqualTo(Integer.toString(tick));
    }
    guest.await(0, Frame.BodyCase.THAWED);
    assertThat(guest.run("echo", "here").out()).isEqualTo("here\n");
  }

  @Test
  void machineThatIsNoMoreIsNotTakenOver() {
    boot("m").close();

    assertThat(newDriver().reattach("m", root.resolve("m"))).isEmpty();
    assertNothingLeft("m", root.resolve("m"));
  }

  @Test
  void memoryLimitHolds() {
    Machine machine = boot("m", new MachineLimits(2, 96 * MIB, 256 * MIB, 64));
    GuestProgram eater =
        awake(machine, new MachineLimits(2, 96 * MIB, 256 * MIB, 64)).start("eat-memory", "1500");

    assertThat(neverSays(eater, "ate", machine)).isTrue();
  }

  @Test
  void hostHoldsTheMemoryLimitWithoutTheAgentsHelp() {
    Machine machine = boot("m", new MachineLimits(2, 64 * MIB, 256 * MIB, 64));
    awake(machine, new MachineLimits(2, 4096 * MIB, 256 * MIB, 64)).start("eat-memory", "1500");

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.OUT_OF_MEMORY);
  }

  @Test
  void diskLimitHolds() {
    MachineLimits small = new MachineLimits(2, 256 * MIB, 32 * MIB, 64);
    Machine machine = boot("m", small);
    GuestProgram eater = awake(machine, small).start("eat-disk", "600", "/tmp/big");

    assertThat(neverSays(eater, "written", machine)).isTrue();
  }

  @Test
  void hostHoldsTheDiskLimitWithoutTheAgentsHelp() {
    Machine machine = boot("m", new MachineLimits(2, 256 * MIB, 16 * MIB, 64));
    awake(machine, new MachineLimits(2, 256 * MIB, 4096 * MIB, 64))
        .start("eat-disk", "1500", "/tmp/big");

    assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.OUT_OF_DISK);
  }

  @Test
  void processLimitHoldsAndIsReached() {
    MachineLimits few = new MachineLimits(2, 256 * MIB, 256 * MIB, 30);
    GuestProgram eater = awake(boot("m", few), few).start("eat-processes", "100");
    int started = 0;
    for (String line = eater.pollLine(PAUSE); line != null; line = eater.pollLine(PAUSE)) {
      assertThat(line).isNotEqualTo("started");
      started = Integer.parseInt(line);
    }

    assertThat(started).isBetween(20, 30);
  }

  @Test
  void clockAndRandomNumbersAreRightAfterARestore() {
    Machine original = boot("original");
    GuestProbe guest = awake(original);
    guest.run("random");
    Checkpoint checkpoint = checkpointAndGoOn(original, guest, "c");
    GuestProbe.sleep(Duration.ofSeconds(2));

    GuestProbe one = restore(checkpoint, "one", ROOMY);
    GuestProbe two = restore(checkpoint, "two", ROOMY);

    assertThat(Long.parseLong(one.run("now").out().strip()))
        .isCloseTo(Instant.now().getEpochSecond(), within(1L));
    assertThat(one.run("random").out()).isNotEqualTo(two.run("random").out());
  }

  @Test
  void sweepRemovesTheUnknownAndKeepsTheKnown() {
    Machine known = boot("known");
    GuestProbe guest = awake(known);
    Machine unknown = boot("unknown");
    unknown.detach();

    List<String> removed = newDriver().sweep(root, Set.of("known"));

    assertThat(removed).anySatisfy(line -> assertThat(line).contains("unknown"));
    assertNothingLeft("unknown", root.resolve("unknown"));
    assertThat(guest.run("echo", "alive").out()).isEqualTo("alive\n");
  }

  @Test
  void sweepOfAnotherRootKeepsAll(@TempDir Path other) {
    GuestProbe guest = awake(boot("m"));

    assertThat(newDriver().sweep(other, Set.of())).isEmpty();
    assertThat(guest.run("echo", "alive").out()).isEqualTo("alive\n");
  }

  @Test
  void malformedStreamEndsThatMachineOnly() {
    GuestProbe neighbour = awake(boot("neighbour"));
    Machine hostile = boot("hostile", ROOMY, hostileRootfs());
    GuestProbe guest = new GuestProbe(hostile);
    guest.hello();

    guest.send(Frame.newBuilder().setThawed(Thawed.getDefaultInstance()));

    assertThat(exitOf(hostile).cause()).isEqualTo(MachineExit.Cause.PROTOCOL);
    assertThat(neighbour.run("echo", "alive").out()).isEqualTo("alive\n");
  }

  private Machine boot(String id) {
    return boot(id, ROOMY);
  }

  private Machine boot(String id, MachineLimits limits) {
    return boot(id, limits, rootfs());
  }

  private Machine boot(String id, MachineLimits limits, Path rootfs) {
    Machine machine = driver.boot(spec(id, limits, rootfs));
    machines.add(machine);
    return machine;
  }

  private static GuestProbe awake(Machine machine) {
    return awake(machine, ROOMY);
  }

  /** Takes the Hello and tells the agent its limits, as the engine does. */
  private static GuestProbe awake(Machine machine, MachineLimits limits) {
    GuestProbe guest = new GuestProbe(machine);
    guest.hello();
    return guest.thaw(limits);
  }

  private GuestProbe restore(Checkpoint checkpoint, String id, MachineLimits limits) {
    Machine machine = driver.restore(checkpoint, spec(id, limits, rootfs()));
    machines.add(machine);
    return new GuestProbe(machine).thaw(limits);
  }

  private Checkpoint checkpointAndGoOn(Machine machine, GuestProbe guest, String name) {
    guest.quiesce();
    Checkpoint checkpoint = machine.checkpoint(root.resolve(name), true);
    guest.thaw();
    return checkpoint;
  }

  private MachineSpec spec(String id, MachineLimits limits, Path rootfs) {
    try {
      return new MachineSpec(id, Files.createDirectory(root.resolve(id)), rootfs, limits);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static MachineExit exitOf(Machine machine) {
    return machine.exit().orTimeout(GuestProbe.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** A program that asks for too much is ended, or fails, or takes its machine with it. */
  private static boolean neverSays(GuestProgram program, String word, Machine machine) {
    try {
      GuestProgram.Output output = program.awaitExit();
      return !output.succeeded() && !output.out().contains(word);
    } catch (AssertionError e) {
      return exitOf(machine).cause() != MachineExit.Cause.CRASHED;
    }
  }
}
