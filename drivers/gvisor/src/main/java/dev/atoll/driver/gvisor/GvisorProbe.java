package dev.atoll.driver.gvisor;

import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out whether gVisor works here, by booting an agent in an otherwise empty guest. */
final class GvisorProbe {
  private static final MachineLimits TINY = new MachineLimits(1, 64L << 20, 16L << 20, 16);

  /** The report, and the platform to use if it is a good one. */
  record Outcome(DriverReport report, Platform platform) {}

  private static final String NO_GVISOR =
      "gVisor does not start here; the checks show what runsc said. In a container it needs"
          + " --privileged or the capabilities SYS_ADMIN, SYS_PTRACE and NET_ADMIN.";

  private static final String NO_WORLDS =
      "A machine cannot be given user ids and namespaces of its own here; the checks show which step"
          + " failed. It needs Linux 5.12, root of the host, user namespaces"
          + " (user.max_user_namespaces above 0), and a data directory on a file system with idmapped"
          + " mounts, such as ext4, xfs or btrfs. Without that no sandbox is started.";

  /** How the part of the keeper that makes namespaces and mounts begins what it says. */
  private static final String STEP_FAILED = "atoll-jailer: ";

  private final GvisorConfig config;
  private final List<String> checks = new ArrayList<>();
  private String version = "unknown";
  private Optional<String> advice = Optional.empty();
  private boolean worlds = true;

  GvisorProbe(GvisorConfig config) {
    this.config = config;
  }

  Outcome run() {
    @Nullable String obstacle = findObstacle();
    if (obstacle != null) {
      return outcome(false, obstacle, config.platform());
    }
    for (Platform platform : platforms()) {
      if (boots(platform)) {
        return outcome(true, advice.orElse(null), platform);
      }
    }
    return outcome(false, worlds ? NO_GVISOR : NO_WORLDS, config.platform());
  }

  private @Nullable String findObstacle() {
    for (Path program : List.of(config.runsc(), config.keeper(), config.jailer(), config.agent())) {
      if (!Files.isExecutable(program)) {
        checks.add(program + ": missing, or not executable");
        return program.equals(config.runsc())
            ? "Install gVisor's runsc, release " + RunscVersion.OLDEST + " or newer."
            : "Build or install Atoll's own programs again.";
      }
    }
    if (!mayBeExecutedByAll(config.runsc())) {
      checks.add(config.runsc() + ": others than its owner may not execute it");
      return "Machines run it as users of their own: chmod a+rx " + config.runsc();
    }
    @Nullable String obstacle = checkVersion();
    return obstacle == null ? checkCgroups() : obstacle;
  }

  private static boolean mayBeExecutedByAll(Path program) {
    try {
      return Files.getPosixFilePermissions(program)
          .containsAll(PosixFilePermissions.fromString("r-xr-xr-x"));
    } catch (IOException e) {
      return false;
    }
  }

  private @Nullable String checkVersion() {
    Optional<RunscVersion> found = RunscVersion.of(config.runsc(), config.commandTimeout());
    if (found.isEmpty()) {
      checks.add("runsc --version names no version");
      return config.runsc() + " does not look like gVisor's runsc.";
    }
    version = found.get().text();
    checks.add(
        "%s is runsc %s of %s, %s"
            .formatted(config.runsc(), version, found.get().day(), found.get().standing()));
    advice = found.get().advice(LocalDate.now(ZoneOffset.UTC));
    addEarlier();
    return found.get().supported()
        ? null
        : "Install runsc "
            + RunscVersion.OLDEST
            + " or newer: "
            + version
            + " cannot write a checkpoint and go on.";
  }

  private void addEarlier() {
    try {
      new RunscVersions(config)
          .earlier()
          .forEach(one -> checks.add("runsc " + one + " is kept for states that it has written"));
    } catch (IOException e) {
      checks.add("earlier versions of runsc cannot be listed: " + e.getMessage());
    }
  }

  private @Nullable String checkCgroups() {
    try {
      checks.add("control groups: " + Cgroups.detect().describe());
      return null;
    } catch (AtollException e) {
      checks.add(String.valueOf(e.getMessage()));
      return e.hint();
    }
  }

  private List<Platform> platforms() {
    return Stream.of(Platform.values())
        .sorted(Comparator.comparing(platform -> platform != config.platform()))
        .toList();
  }

  private boolean boots(Platform platform) {
    long start = System.nanoTime();
    try {
      boot(platform);
      checks.add(
          "%s: a guest said Hello after %d ms"
              .formatted(platform.flag(), (System.nanoTime() - start) / 1_000_000));
      return true;
    } catch (IOException | RuntimeException e) {
      checks.add(platform.flag() + ": " + e.getMessage());
      worlds &= !String.valueOf(e.getMessage()).contains(STEP_FAILED);
      return false;
    }
  }

  private void boot(Platform platform) throws IOException {
    // On the file system of the data directory, which the programs are in: not every one will do.
    Path programs = Objects.requireNonNull(config.keeper().getParent());
    Path root = Files.createTempDirectory(programs, "probe");
    try {
      Path rootfs = root.resolve("rootfs");
      Path agent = rootfs.resolve(OciSpec.AGENT.substring(1));
      Files.createDirectories(agent.getParent());
      Files.copy(config.agent(), agent);
      if (!agent.toFile().setExecutable(true, false)) {
        throw new IOException("cannot make " + agent + " executable");
      }
      String id = "probe-" + UUID.randomUUID();
      Path directory = Files.createDirectory(root.resolve(id));
      GvisorDriver driver = new GvisorDriver(config.with(platform));
      try (Machine machine = driver.boot(new MachineSpec(id, directory, rootfs, TINY))) {
        checks.add(platform.flag() + ": limits applied to " + machine.id());
      }
    } finally {
      delete(root);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private Outcome outcome(boolean available, @Nullable String advice, Platform platform) {
    return new Outcome(
        new DriverReport("gvisor", Isolation.GVISOR, available, version, checks, advice), platform);
  }
}
