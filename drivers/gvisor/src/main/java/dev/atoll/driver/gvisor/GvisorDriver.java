package dev.atoll.driver.gvisor;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineSpec;
import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Machines in gVisor. */
public final class GvisorDriver implements Driver {
  private static final Logger log = LoggerFactory.getLogger(GvisorDriver.class);

  private final HostWatch watch = new HostWatch();
  private final Map<String, Blank> prepared = new ConcurrentHashMap<>();
  private volatile GvisorConfig config;
  private volatile @Nullable Cgroups cgroups;
  private volatile @Nullable String version;
  private volatile @Nullable DriverReport passed;

  public GvisorDriver(GvisorConfig config) {
    this.config = config;
  }

  @Override
  public String name() {
    return "gvisor";
  }

  @Override
  public Isolation isolation() {
    return Isolation.GVISOR;
  }

  /**
   * Tries the configured platform and then the other; machines are started on the one that worked.
   * A good answer is kept for the life of this object, a bad one is tried again.
   */
  @Override
  public synchronized DriverReport probe() {
    DriverReport known = passed;
    if (known != null) {
      return known;
    }
    GvisorProbe.Outcome outcome = new GvisorProbe(config).run();
    if (outcome.report().available()) {
      config = config.with(outcome.platform());
      passed = outcome.report();
    }
    return outcome.report();
  }

  @Override
  public DriverReport probeAnew() {
    return passed == null ? probe() : new GvisorProbe(config).run().report();
  }

  @Override
  public Machine boot(MachineSpec spec) {
    GvisorMachine machine = start(spec, Runsc::start);
    try {
      machine.awaitHello(config.bootTimeout());
      return machine;
    } catch (RuntimeException e) {
      closeAfter(e, machine);
      throw e;
    }
  }

  @Override
  public Machine restore(Checkpoint checkpoint, MachineSpec spec) {
    if (!checkpoint.rootfs().equals(spec.rootfs())) {
      throw new IllegalArgumentException(
          "a checkpoint of %s cannot be restored on %s"
              .formatted(checkpoint.rootfs(), spec.rootfs()));
    }
    ImageFiles.requireVersion(checkpoint.directory(), version());
    return start(spec, runsc -> runsc.restore(checkpoint.directory()));
  }

  private String version() {
    String known = version;
    if (known == null) {
      known =
          RunscVersion.of(config.runsc(), config.commandTimeout())
              .map(RunscVersion::text)
              .orElse("unknown");
      version = known;
    }
    return known;
  }

  /** A machine whose processes are there, and in which nothing runs yet. */
  private record Blank(MachineSpec spec, MachineRecord record, Cgroup group) {}

  @Override
  public boolean prepare(MachineSpec spec) {
    Blank blank = make(spec);
    try {
      // Even an empty gVisor takes some CPU time for itself.
      if (blank.group().canFreeze()) {
        blank.group().freeze();
      }
    } catch (IOException e) {
      throw cannotStart(spec, blank.group(), e);
    }
    prepared.put(spec.id(), blank);
    return true;
  }

  @Override
  public void discard(MachineSpec spec) {
    Blank blank = prepared.remove(spec.id());
    if (blank != null) {
      try {
        GvisorMachine.removeTraces(MachineDirectory.of(spec), blank.group());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private GvisorMachine start(MachineSpec spec, Function<Runsc, List<String>> command) {
    Blank ahead = prepared.remove(spec.id());
    if (ahead != null && !ahead.spec().equals(spec)) {
      prepared.put(spec.id(), ahead);
      throw new IllegalArgumentException("machine " + spec.id() + " was prepared otherwise");
    }
    Blank blank = ahead == null ? make(spec) : ahead;
    MachineDirectory directory = MachineDirectory.of(spec);
    GvisorConfig now = config;
    try {
      if (ahead != null && blank.group().canFreeze()) {
        blank.group().thaw();
      }
      KeeperStream stream = KeeperStream.connect(directory.socket(), now.commandTimeout());
      stream.begin(command.apply(new Runsc(now.runsc(), blank.record().platform(), directory)));
      return new GvisorMachine(directory, blank.record(), now, blank.group(), stream, watch)
          .begin();
    } catch (IOException | RuntimeException e) {
      throw cannotStart(spec, blank.group(), e);
    }
  }

  private Blank make(MachineSpec spec) {
    GvisorConfig now = config;
    MachineDirectory directory = MachineDirectory.of(spec);
    MachineRecord record =
        new MachineRecord(spec.id(), spec.rootfs(), now.platform(), spec.limits(), version());
    Cgroup group =
        cgroups()
            .create(
                directory.hostName(), CgroupLimits.of(spec.limits(), now.memoryOverheadBytes()));
    try {
      directory.prepare();
      record.write(directory);
      Files.write(directory.config(), OciSpec.of(spec.id(), spec.rootfs()));
      Files.writeString(directory.meminfo(), Meminfo.of(spec.limits().memoryBytes()));
      List<String> line = new Runsc(now.runsc(), now.platform(), directory).create();
      new Keeper(directory).start(now.keeper(), group, line, now.commandTimeout());
      return new Blank(spec, record, group);
    } catch (IOException | RuntimeException e) {
      throw cannotStart(spec, group, e);
    }
  }

  private static AtollException cannotStart(MachineSpec spec, Cgroup group, Exception e) {
    MachineDirectory directory = MachineDirectory.of(spec);
    removeAfter(e, directory, group);
    return e instanceof AtollException known
        ? known
        : new AtollException(
            ErrorCode.INTERNAL,
            "cannot start machine " + spec.id() + ": " + e.getMessage(),
            "See the files in " + directory.path() + ".",
            Map.of(),
            e);
  }

  @Override
  public Optional<Machine> reattach(String id, Path path) {
    MachineDirectory directory = new MachineDirectory(id, path);
    Cgroup group = cgroups().find(directory.hostName());
    try {
      Optional<MachineRecord> record = MachineRecord.read(directory.record());
      if (record.isPresent() && record.get().id().equals(id)) {
        GvisorConfig now = config;
        KeeperStream stream = KeeperStream.connect(directory.socket(), now.commandTimeout());
        return Optional.of(
            new GvisorMachine(directory, record.get(), now, group, stream, watch).begin());
      }
    } catch (IOException e) {
      log.info("machine {} is no more: {}", id, e.getMessage());
      removeAfter(e, directory, group);
    }
    return Optional.empty();
  }

  @Override
  public List<String> sweep(Path root, Set<String> machines) {
    try {
      return new Sweep(cgroups(), root, machines).run();
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.INTERNAL, "cannot sweep " + root + ": " + e.getMessage(), null, Map.of(), e);
    }
  }

  private Cgroups cgroups() {
    Cgroups known = cgroups;
    if (known == null) {
      known = Cgroups.detect();
      cgroups = known;
    }
    return known;
  }

  private static void closeAfter(RuntimeException reason, Machine machine) {
    try {
      machine.close();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private static void removeAfter(Exception reason, MachineDirectory directory, Cgroup group) {
    try {
      GvisorMachine.removeTraces(directory, group);
    } catch (IOException | RuntimeException e) {
      reason.addSuppressed(e);
      log.warn("cannot remove all of machine {}", directory.id(), e);
    }
  }
}
