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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out whether gVisor works here, by booting an agent in an otherwise empty guest. */
final class GvisorProbe {
  private static final MachineLimits TINY = new MachineLimits(1, 64L << 20, 16L << 20, 16);

  /** The report, and the platform to use if it is a good one. */
  record Outcome(DriverReport report, Platform platform) {}

  private final GvisorConfig config;
  private final List<String> checks = new ArrayList<>();
  private String version = "unknown";

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
        return outcome(true, null, platform);
      }
    }
    return outcome(
        false,
        "gVisor does not start here; the checks show what runsc said. In a container it needs"
            + " --privileged or the capabilities SYS_ADMIN, SYS_PTRACE and NET_ADMIN.",
        config.platform());
  }

  private @Nullable String findObstacle() {
    for (Path program : List.of(config.runsc(), config.keeper(), config.agent())) {
      if (!Files.isExecutable(program)) {
        checks.add(program + ": missing, or not executable");
        return program.equals(config.runsc())
            ? "Install gVisor's runsc, release " + RunscVersion.OLDEST + " or newer."
            : "Build or install Atoll's own programs again.";
      }
    }
    @Nullable String obstacle = checkVersion();
    return obstacle == null ? checkCgroups() : obstacle;
  }

  private @Nullable String checkVersion() {
    Optional<RunscVersion> found = RunscVersion.of(config.runsc(), config.commandTimeout());
    if (found.isEmpty()) {
      checks.add("runsc --version names no version");
      return config.runsc() + " does not look like gVisor's runsc.";
    }
    version = found.get().text();
    checks.add("runsc is " + version);
    return found.get().supported()
        ? null
        : "Install runsc "
            + RunscVersion.OLDEST
            + " or newer: "
            + version
            + " cannot write a checkpoint and go on.";
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
      return false;
    }
  }

  private void boot(Platform platform) throws IOException {
    Path root = Files.createTempDirectory("atoll-probe");
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
