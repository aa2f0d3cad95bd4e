package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.testkit.GuestProbe;
import dev.atoll.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a guest would have that broke out of gVisor's kernel: nothing but its own machine. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EscapedSentryIT {
  private static final long MIB = 1L << 20;
  private static final MachineLimits LIMITS = new MachineLimits(1, 128 * MIB, 256 * MIB, 32);
  private static final List<String> NAMESPACES =
      List.of("user", "mnt", "pid", "ipc", "uts", "net", "cgroup");

  @TempDir private static Path folder;
  private static Path rootfs;
  private static GvisorDriver driver;

  @BeforeAll
  static void buildGuest() throws IOException {
    TestHost.extractPrograms(folder);
    rootfs = TestRootfs.build(folder.resolve("rootfs"), folder.resolve("atoll-agent"));
    driver = new GvisorDriver(TestHost.config(folder));
    try (InputStream in = EscapedSentryIT.class.getResourceAsStream("escaped.py")) {
      Files.copy(java.util.Objects.requireNonNull(in), folder.resolve("escaped.py"));
    }
  }

  @Test
  void everyProcessIsNobodyInNamespacesOfItsMachine(@TempDir Path root) throws IOException {
    try (Machine machine = driver.boot(spec(root, "m"))) {
      awake(machine);
      int base = base(root, "m");
      assertThat(base).isBetween(0x7000_0000, 0x7eff_0000);

      for (long pid : group(root, "m").members()) {
        assertThat(ids(pid)).allMatch(id -> id >= base && id < base + 65_535);
        assertThat(status(pid, "NoNewPrivs")).isEqualTo("1");
        for (String namespace : NAMESPACES) {
          assertThat(namespace(Long.toString(pid), namespace))
              .isNotEqualTo(namespace("self", namespace));
        }
      }
      for (long pid : List.of(sentry(root, "m"), gofer(root, "m"))) {
        assertThat(status(pid, "Seccomp")).isEqualTo("2");
      }
    }
  }

  @Test
  void keeperIsNobodyToo(@TempDir Path root) throws IOException {
    MachineSpec spec = spec(root, "m");
    try (Machine machine = driver.boot(spec)) {
      awake(machine);
      int base = base(root, "m");
      long keeper = new Keeper(MachineDirectory.of(spec)).find().orElseThrow().pid();

      assertThat(ids(keeper)).containsOnly(base + 65_535L);
      for (String set : List.of("CapEff", "CapPrm", "CapAmb")) {
        assertThat(status(keeper, set)).isEqualTo("0000000000000000");
      }
      assertThat(status(keeper, "NoNewPrivs")).isEqualTo("1");
      assertThat(status(keeper, "Seccomp")).isEqualTo("2");
      assertThat(list(Path.of("/proc", Long.toString(keeper), "root"))).isEmpty();
    }
  }

  @Test
  void machinesHaveNoIdInCommon(@TempDir Path root) throws IOException {
    try (Machine one = driver.boot(spec(root, "one"));
        Machine other = driver.boot(spec(root, "other"))) {
      awake(one);
      awake(other);
      assertThat(base(root, "one")).isNotEqualTo(base(root, "other"));
      for (String namespace : NAMESPACES) {
        assertThat(namespace(Long.toString(sentry(root, "one")), namespace))
            .isNotEqualTo(namespace(Long.toString(sentry(root, "other")), namespace));
      }
    }
  }

  @Test
  void escapedSentrySeesAndReachesNothingOfTheHost(@TempDir Path root) throws IOException {
    Path database = Files.writeString(root.resolve("atoll.db"), "database");
    Path secrets = Files.writeString(root.resolve("secrets.key"), "key");
    try (Machine machine = driver.boot(spec(root, "m"));
        Machine neighbour = driver.boot(spec(root, "n"))) {
      awake(machine);
      awake(neighbour);
      String server = Long.toString(ProcessHandle.current().pid());
      String theirs = Long.toString(sentry(root, "n"));
      List<String> paths =
          List.of(
              database.toString(),
              secrets.toString(),
              root.resolve("m").toString(),
              root.resolve("n").toString(),
              root.resolve("n/own").toString(),
              "/machine",
              "/etc/shadow",
              "/root",
              "/run",
              "/sys",
              "/dev/null",
              "/usr/bin");

      JsonNode found = escape(sentry(root, "m"), paths, List.of(server, theirs));

      assertThat(found.get("uid").asInt()).isZero();
      assertThat(found.get("paths").values())
          .allSatisfy(said -> assertThat(said.asString()).isEqualTo("No such file or directory"));
      assertThat(found.get("seen").values())
          .allSatisfy(
              path -> assertThat(path.asString()).matches("/(etc(/localtime)?|proc(/.*)?|runsc)"));
      assertThat(found.get("climbed").toString()).doesNotContain("root").doesNotContain("usr");
      assertThat(found.get("processes").size()).isLessThan(40);
      assertThat(found.get("signals").values())
          .allSatisfy(said -> assertThat(said.asString()).isEqualTo("No such process"));
      assertThat(found.get("interfaces").toString()).isEqualTo("[\"lo\"]");
      for (String attempt : List.of("mount", "remount", "hostname")) {
        assertThat(found.get(attempt).asString()).isEqualTo("Operation not permitted");
      }
      assertThat(found.get("write").asString()).isEqualTo("Read-only file system");
      assertThat(found.get("device").asString())
          .isIn("Operation not permitted", "Read-only file system");
    }
  }

  @Test
  void whatTheMachineLeavesInItsFolderLeadsNowhere(@TempDir Path root) throws IOException {
    Path victim = Files.createDirectory(root.resolve("victim"));
    Files.writeString(victim.resolve("checkpoint.img"), "precious");
    Path aside = Files.createDirectory(root.resolve("aside"));
    Path written = root.resolve("written");

    Files.createSymbolicLink(written, victim);
    assertThat(adopt(aside, written)).isNotEmpty();
    Files.delete(written);

    Files.createDirectory(written);
    Files.createSymbolicLink(written.resolve("pages.img"), victim.resolve("checkpoint.img"));
    assertThat(adopt(aside, written)).contains("no part of an image");
    Files.delete(aside.resolve("pages.img"));

    Files.createDirectory(written);
    Files.createLink(written.resolve("pages.img"), victim.resolve("checkpoint.img"));
    assertThat(adopt(aside, written)).contains("no part of an image");
    Files.delete(aside.resolve("pages.img"));

    Files.createDirectory(written);
    Files.writeString(written.resolve("passwd"), "x");
    assertThat(adopt(aside, written)).contains("no part of an image");
    assertThat(victim.resolve("checkpoint.img")).hasContent("precious");
  }

  @Test
  void imageIsTheServersAndReadOnlyForTheMachine(@TempDir Path root) throws IOException {
    Path image = root.resolve("image");
    try (Machine machine = driver.boot(spec(root, "m"))) {
      GuestProbe guest = awake(machine);
      guest.quiesce();
      machine.checkpoint(image, true);
    }
    try (Stream<Path> files = Files.list(image)) {
      assertThat(files)
          .hasSizeGreaterThan(1)
          .allSatisfy(file -> assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(0));
    }
    try (Machine machine = driver.restore(new Checkpoint(image, rootfs), spec(root, "r"))) {
      new GuestProbe(machine).thaw(LIMITS);
      Path linked = root.resolve("r/image");
      for (Path file : list(linked)) {
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(0);
      }
      // Once the guest runs, a snapshot that is deleted frees its space.
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (!list(linked).isEmpty()) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void nothingIsLeftAfterTheEnd(@TempDir Path root) throws IOException {
    int base;
    try (Machine machine = driver.boot(spec(root, "m"))) {
      awake(machine);
      base = base(root, "m");
      assertThat(processesOf(base)).isNotEmpty();
    }
    assertThat(processesOf(base)).isEmpty();
    assertThat(group(root, "m").folders()).allSatisfy(path -> assertThat(path).doesNotExist());
    assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(root.toString());
    assertThat(
            Files.exists(
                Path.of("/run/atoll/uids", Integer.toHexString(base)), LinkOption.NOFOLLOW_LINKS))
        .isFalse();
  }

  private static String adopt(Path aside, Path written) {
    try {
      ImageFiles image = new ImageFiles(aside.resolveSibling("place"), aside);
      image.adopt(written);
      image.verify();
      return "";
    } catch (IOException e) {
      return String.valueOf(e);
    }
  }

  private static JsonNode escape(long pid, List<String> paths, List<String> pids) {
    List<String> command =
        new ArrayList<>(List.of("python3", folder.resolve("escaped.py").toString()));
    command.add(Long.toString(pid));
    command.addAll(paths);
    command.add("--");
    command.addAll(pids);
    Program.Result result = Program.run(command, Duration.ofSeconds(60));
    assertThat(result.status()).describedAs(result.output()).isZero();
    return Json.lenient().readTree(result.output());
  }

  private static long sentry(Path root, String id) {
    return member(root, id, "runsc-sandbox");
  }

  private static long gofer(Path root, String id) {
    return member(root, id, "runsc-gofer");
  }

  private static long member(Path root, String id, String name) {
    return group(root, id).members().stream()
        .filter(pid -> read(Path.of("/proc/" + pid + "/cmdline")).startsWith(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<Long> ids(long pid) {
    List<Long> ids = new ArrayList<>();
    for (String set : List.of("Uid", "Gid")) {
      Stream.of(status(pid, set).split("\\s+")).map(Long::valueOf).forEach(ids::add);
    }
    return ids;
  }

  private static String status(long pid, String field) {
    return read(Path.of("/proc/" + pid + "/status"))
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .map(line -> line.substring(field.length() + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  private static String namespace(String process, String name) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc", process, "ns", name)).toString();
  }

  private static List<Long> processesOf(int base) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(ProcessHandle::pid)
          .filter(
              pid -> {
                String text = read(Path.of("/proc/" + pid + "/status"));
                // One that has ended and waits for its parent to look is no more.
                return !text.contains("State:\tZ")
                    && !text.contains("State:\tX")
                    && (text.contains("Uid:\t" + base)
                        || text.contains("Uid:\t" + (base + 65_535)));
              })
          .toList();
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.nio.file.NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return "";
      }
      throw new UncheckedIOException(e);
    }
  }

  private static int base(Path root, String id) throws IOException {
    return MachineRecord.read(root.resolve(id).resolve(MachineDirectory.RECORD))
        .flatMap(MachineRecord::world)
        .orElseThrow()
        .uidBase();
  }

  private static Cgroup group(Path root, String id) {
    return Cgroups.detect().find(new MachineDirectory(id, root.resolve(id)).hostName());
  }

  private static MachineSpec spec(Path root, String id) throws IOException {
    return new MachineSpec(id, Files.createDirectory(root.resolve(id)), rootfs, LIMITS);
  }

  private static GuestProbe awake(Machine machine) {
    GuestProbe guest = new GuestProbe(machine);
    guest.hello();
    return guest.thaw(LIMITS);
  }
}
