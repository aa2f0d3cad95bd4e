package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.testkit.GuestProbe;
import dev.atoll.model.AtollException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is special about machines in gVisor, beyond the contract. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GvisorMachineIT {
  private static final long MIB = 1L << 20;
  private static final long KEPT = 64 * MIB;
  private static final MachineLimits LIMITS = new MachineLimits(2, 128 * MIB, 256 * MIB, 64);

  @TempDir private static Path folder;
  private static Path rootfs;
  private static GvisorDriver driver;

  @BeforeAll
  static void buildGuest() throws IOException {
    TestHost.extractPrograms(folder);
    rootfs = TestRootfs.build(folder.resolve("rootfs"), folder.resolve("atoll-agent"));
    driver = new GvisorDriver(TestHost.config(folder));
  }

  @Test
  void guestSeesItsLimitAsItsMemory(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      assertThat(awake(machine).run("head", "-1", "/proc/meminfo").out())
          .containsPattern("MemTotal: +" + LIMITS.memoryBytes() / 1024 + " kB");
    }
  }

  @Test
  void guestHasNoNetworkButLoopback(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      assertThat(awake(machine).run("ls", "/sys/class/net").out().strip()).isIn("", "lo");
    }
  }

  @Test
  void sandboxHoldsNoPrivilegeOverTheHost(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      awake(machine);
      Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
      List<Long> members = group(root, "m").members();

      // The first is runsc in the foreground, which only waits for the others.
      assertThat(members.subList(1, members.size()))
          .hasSizeGreaterThan(2)
          .allSatisfy(
              pid -> {
                Path process = Path.of("/proc", Long.toString(pid));
                assertThat(Files.readSymbolicLink(process.resolve("ns/user"))).isNotEqualTo(ours);
                assertThat(Files.readString(process.resolve("status")))
                    .containsPattern("NoNewPrivs:\\s+1")
                    .containsPattern("Seccomp:\\s+2");
              });
    }
  }

  @Test
  void writesToTmpAreDiskAndNotMemory(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      GuestProbe guest = awake(machine);
      long before = machine.stats().memoryBytes();

      assertThat(guest.run("eat-disk", "64", "/tmp/big").out()).contains("written");

      assertThat(machine.stats().diskBytes()).isGreaterThanOrEqualTo(64 * MIB);
      assertThat(machine.stats().memoryBytes() - before).isLessThan(32 * MIB);
    }
  }

  @Test
  void machineWorksInADirectoryTooDeepForSockets(@TempDir Path root) throws IOException {
    Path deep = Files.createDirectories(root.resolve("d".repeat(100)).resolve("e".repeat(100)));
    MachineSpec spec = spec(deep, "m");
    MachineDirectory files = MachineDirectory.of(spec);
    try (Machine machine = driver.boot(spec)) {
      GuestProbe guest = awake(machine);
      guest.quiesce();
      machine.checkpoint(deep.resolve("c"), true);
      guest.thaw();
      assertThat(guest.run("echo", "here").out()).isEqualTo("here\n");
      assertThat(files.socket()).exists();
    }
    assertThat(files.socket().getParent()).doesNotExist();
  }

  @Test
  void restoreOfRubbishEndsWithRunscsWords(@TempDir Path root) throws IOException {
    Path image = Files.createDirectory(root.resolve("c"));
    Files.writeString(image.resolve("checkpoint.img"), "rubbish");
    try (Machine machine = driver.restore(new Checkpoint(image, rootfs), spec(root, "m"))) {
      assertThat(exitOf(machine))
          .satisfies(exit -> assertThat(exit.cause()).isEqualTo(MachineExit.Cause.CRASHED))
          .satisfies(exit -> assertThat(exit.message()).contains("restoring container"));
    }
  }

  @Test
  void stateOfAnotherRunscIsRefusedBeforeItIsTried(@TempDir Path root) throws IOException {
    Path image = Files.createDirectory(root.resolve("c"));
    Files.writeString(image.resolve("runsc-version"), "release-20200101.0");
    MachineSpec spec = spec(root, "m");
    assertThatThrownBy(() -> driver.restore(new Checkpoint(image, rootfs), spec))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("release-20200101.0");
    assertThat(group(root, "m").members()).isEmpty();
  }

  @Test
  void guestWithoutAnAgentIsRefused(@TempDir Path root) throws IOException {
    Path empty = Files.createDirectory(root.resolve("empty"));
    Path directory = Files.createDirectory(root.resolve("m"));

    assertThatThrownBy(() -> driver.boot(new MachineSpec("m", directory, empty, LIMITS)))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("Hello");
    assertThat(group(root, "m").members()).isEmpty();
  }

  @Test
  void machineEndsWithItsKeeper(@TempDir Path root) throws IOException {
    MachineSpec spec = spec(root, "m");
    try (Machine machine = driver.boot(spec)) {
      awake(machine);
      new Keeper(MachineDirectory.of(spec)).find().orElseThrow().destroyForcibly();

      assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CRASHED);
      assertThat(group(root, "m").members()).isEmpty();
    }
  }

  @Test
  void sandboxDiesWithItsForegroundProcess(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      awake(machine);
      long foreground = group(root, "m").members().getFirst();
      ProcessHandle.of(foreground).orElseThrow().destroyForcibly();

      assertThat(exitOf(machine).cause()).isEqualTo(MachineExit.Cause.CRASHED);
      assertThat(group(root, "m").members()).isEmpty();
    }
  }

  @Test
  void reattachRemovesWhatAKilledKeeperLeft(@TempDir Path root) throws IOException {
    MachineSpec spec = spec(root, "m");
    try (Machine machine = driver.boot(spec)) {
      machine.detach();
      new Keeper(MachineDirectory.of(spec)).find().orElseThrow().destroyForcibly();

      assertThat(new GvisorDriver(TestHost.config(folder)).reattach("m", spec.directory()))
          .isEmpty();
      assertThat(group(root, "m").members()).isEmpty();
    }
  }

  @Test
  void checkpointThatCannotBeWrittenCostsNothing(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      GuestProbe guest = awake(machine);
      guest.quiesce();
      Path taken = Files.createDirectory(root.resolve("taken"));

      assertThatThrownBy(() -> machine.checkpoint(taken, false)).isInstanceOf(AtollException.class);

      guest.thaw();
      assertThat(guest.run("echo", "alive").out()).isEqualTo("alive\n");
    }
  }

  @Test
  void restoredGuestGoesOnBeforeItsMemoryIsThere(@TempDir Path root) throws Exception {
    Kept kept = keepMemory(root);
    Path pages = kept.checkpoint().directory().resolve("pages.img");
    boolean early = false;
    // On a busy machine the rest may be there before the first answer.
    for (int i = 0; i < 20 && !early; i++) {
      try (Machine machine = driver.restore(kept.checkpoint(), spec(root, "n" + i))) {
        GuestProbe guest = new GuestProbe(machine).thaw(LIMITS);
        assertThat(guest.run("echo", "here").out()).isEqualTo("here\n");
        early = machine.stats().memoryBytes() < KEPT && !canBeChanged(pages);

        assertThat(guest.run("sha256sum", "/dev/shm/kept").out()).isEqualTo(kept.digest());
        await(() -> canBeChanged(pages));
      }
    }
    assertThat(early).isTrue();
  }

  @Test
  void imageMayBeDeletedAsSoonAsTheGuestGoesOn(@TempDir Path root) throws Exception {
    Kept kept = keepMemory(root);
    try (Machine machine = driver.restore(kept.checkpoint(), spec(root, "n"))) {
      GuestProbe guest = new GuestProbe(machine).thaw(LIMITS);
      try (Stream<Path> files = Files.list(kept.checkpoint().directory())) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      assertThat(guest.run("sha256sum", "/dev/shm/kept").out()).isEqualTo(kept.digest());
    }
  }

  @Test
  void checkpointOfAGuestThatHasJustBeenRestoredIsWhole(@TempDir Path root) throws Exception {
    Kept kept = keepMemory(root);
    Checkpoint second;
    try (Machine machine = driver.restore(kept.checkpoint(), spec(root, "n"))) {
      new GuestProbe(machine).thaw(LIMITS).quiesce();
      second = machine.checkpoint(root.resolve("second"), false);
    }
    try (Machine machine = driver.restore(second, spec(root, "o"))) {
      assertThat(new GuestProbe(machine).thaw(LIMITS).run("sha256sum", "/dev/shm/kept").out())
          .isEqualTo(kept.digest());
    }
  }

  @Test
  void missingPagesAreMissedBeforeTheGuestGoesOn(@TempDir Path root) throws Exception {
    Kept kept = keepMemory(root);
    Path pages = kept.checkpoint().directory().resolve("pages.img");
    try (FileChannel channel = FileChannel.open(pages, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 4096);
    }
    try (Machine machine = driver.restore(kept.checkpoint(), spec(root, "n"))) {
      assertThat(exitOf(machine).message()).contains("pages.img has").contains("bytes instead of");
    }
  }

  /**
   * @param digest as the guest's sha256sum prints it
   */
  private record Kept(Checkpoint checkpoint, String digest) {}

  private static Kept keepMemory(Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      GuestProbe guest = awake(machine);
      String digest =
          guest
              .run(
                  "sh",
                  "-c",
                  "head -c %d /dev/urandom >/dev/shm/kept && sha256sum /dev/shm/kept"
                      .formatted(KEPT))
              .out();
      assertThat(digest).endsWith("kept\n");
      guest.quiesce();
      return new Kept(machine.checkpoint(root.resolve("c"), false), digest);
    }
  }

  /** Whether no machine has a lock on it. */
  private static boolean canBeChanged(Path file) throws Exception {
    return new ProcessBuilder("flock", "--nonblock", file.toString(), "true").start().waitFor()
        == 0;
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    Instant deadline = Instant.now().plusSeconds(60);
    while (!condition.call()) {
      assertThat(Instant.now()).isBefore(deadline);
      Thread.sleep(50);
    }
  }

  private static MachineSpec spec(Path root, String id) throws IOException {
    return new MachineSpec(id, Files.createDirectory(root.resolve(id)), rootfs, LIMITS);
  }

  private static Cgroup group(Path root, String id) {
    return Cgroups.detect().find(new MachineDirectory(id, root.resolve(id)).hostName());
  }

  private static GuestProbe awake(Machine machine) {
    GuestProbe guest = new GuestProbe(machine);
    guest.hello();
    return guest.thaw(LIMITS);
  }

  private static MachineExit exitOf(Machine machine) {
    return machine.exit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
