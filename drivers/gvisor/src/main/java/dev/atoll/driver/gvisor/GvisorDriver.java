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
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Machines in gVisor. */
public final class GvisorDriver implements Driver {
  private static final Logger log = LoggerFactory.getLogger(GvisorDriver.class);

  private final HostWatch watch = new HostWatch();
  private final Map<String, Blank> prepared = new ConcurrentHashMap<>();
  private final RunscVersions versions;
  private volatile GvisorConfig config;
  private volatile @Nullable Cgroups cgroups;
  private volatile @Nullable DriverReport passed;

  public GvisorDriver(GvisorConfig config) {
    this.config = config;
    this.versions = new RunscVersions(config);
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
   * A good answer is kept for the life of this object, as long as the programs are there; a bad one
   * is tried again.
   */
  @Override
  public synchronized DriverReport probe() {
    DriverReport known = passed;
    if (known != null) {
      return missingProgram().map(program -> without(program, known)).orElse(known);
    }
    GvisorProbe.Outcome outcome = new GvisorProbe(config).run();
    if (outcome.report().available()) {
      config = config.with(outcome.platform());
      passed = outcome.report();
    }
    return outcome.report();
  }

  /** A program that machines cannot be started without, and that is gone. */
  private Optional<Path> missingProgram() {
    return Stream.of(versions.current().path(), config.keeper(), config.jailer(), config.agent())
        .filter(program -> !Files.isExecutable(program))
        .findFirst();
  }

  private static DriverReport without(Path program, DriverReport known) {
    return new DriverReport(
        known.name(),
        known.isolation(),
        false,
        known.version(),
        List.of(program + ": missing, or not executable"),
        "It was there when the server started. Put it back; sandboxes that run go on meanwhile.");
  }

  @Override
  public DriverReport probeAnew() {
    return passed == null ? probe() : new GvisorProbe(config).run().report();
  }

  @Override
  public Machine boot(MachineSpec spec) {
    GvisorMachine machine = start(spec, versions.current(), GvisorMachine::boot);
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
    RunscProgram program = program(checkpoint, spec);
    return start(spec, program, machine -> machine.load(checkpoint.directory()));
  }

  /** The runsc that can read a checkpoint; without it, what was begun ahead for it is removed. */
  private RunscProgram program(Checkpoint checkpoint, MachineSpec spec) {
    try {
      return ImageFiles.version(checkpoint.directory())
          .map(versions::require)
          .orElseGet(versions::current);
    } catch (AtollException e) {
      discard(spec);
      throw e;
    }
  }

  @Override
  public String versionFile() {
    return ImageFiles.VERSION;
  }

  @Override
  public void requireReadable(String version) {
    versions.require(version);
  }

  @Override
  public List<String> retire(Path root, Set<String> needed) {
    try {
      Set<String> all = new HashSet<>(needed);
      try (DirectoryStream<Path> directories = Files.newDirectoryStream(root)) {
        for (Path directory : directories) {
          MachineRecord.read(directory.resolve(MachineDirectory.RECORD))
              .ifPresent(record -> all.add(record.version()));
        }
      }
      return versions.retire(all);
    } catch (IOException e) {
      log.warn("earlier versions of runsc are kept, needed or not: {}", e.getMessage());
      return List.of();
    }
  }

  /** A machine whose processes are there, and in which nothing runs yet. */
  private record Blank(MachineSpec spec, MachineRecord record, Cgroup group) {}

  @Override
  public boolean prepare(MachineSpec spec) {
    Blank blank = make(spec, versions.current());
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

  /** What brings a machine to life that was made. */
  private interface Beginning {
    void begin(GvisorMachine machine) throws IOException;
  }

  private GvisorMachine start(MachineSpec spec, RunscProgram program, Beginning beginning) {
    Blank ahead = prepared.remove(spec.id());
    if (ahead != null && !ahead.spec().equals(spec)) {
      prepared.put(spec.id(), ahead);
      throw new IllegalArgumentException("machine " + spec.id() + " was prepared otherwise");
    }
    if (ahead != null && !ahead.record().version().equals(program.version())) {
      giveUp(ahead);
      ahead = null;
    }
    Blank blank = ahead == null ? make(spec, program) : ahead;
    MachineDirectory directory = MachineDirectory.of(spec);
    GvisorConfig now = config.with(program);
    try {
      if (ahead != null && blank.group().canFreeze()) {
        blank.group().thaw();
      }
      KeeperStream stream = KeeperStream.connect(directory.socket(), now.commandTimeout());
      GvisorMachine machine =
          new GvisorMachine(directory, blank.record(), now, blank.group(), stream, watch);
      beginning.begin(machine);
      return machine.begin();
    } catch (IOException | RuntimeException e) {
      throw cannotStart(spec, blank.group(), e);
    }
  }

  /** A state of an earlier runsc cannot be given to a machine of this one. */
  private static void giveUp(Blank blank) {
    MachineDirectory directory = MachineDirectory.of(blank.spec());
    try {
      GvisorMachine.removeTraces(directory, blank.group());
      directory.empty();
    } catch (IOException e) {
      throw cannotStart(blank.spec(), blank.group(), e);
    }
  }

  private void requirePrograms() {
    missingProgram()
        .ifPresent(
            program -> {
              throw new AtollException(
                  ErrorCode.DRIVER_UNAVAILABLE,
                  program + " is missing, or not executable",
                  "put it back, and run `./atoll doctor`");
            });
  }

  private Blank make(MachineSpec spec, RunscProgram program) {
    requirePrograms();
    GvisorConfig now = config.with(program);
    MachineDirectory directory = MachineDirectory.of(spec);
    Cgroup group =
        cgroups()
            .create(
                directory.hostName(), CgroupLimits.of(spec.limits(), now.memoryOverheadBytes()));
    try {
      World world = new World(UserIds.ofHost().claim(directory));
      MachineRecord record =
          new MachineRecord(
              spec.id(),
              spec.rootfs(),
              now.platform(),
              spec.limits(),
              program.version(),
              world.uidBase());
      record.write(directory);
      directory.prepare(world.uidBase());
      MachineDirectory.writeReadable(directory.config(), OciSpec.of(spec.id()));
      MachineDirectory.writeReadable(
          directory.meminfo(),
          Meminfo.of(spec.limits().memoryBytes()).getBytes(StandardCharsets.UTF_8));
      List<String> options =
          world.options(directory, now.runsc().toRealPath(), spec.rootfs(), group);
      List<String> line = new Runsc(now, record, directory, group).create();
      new Keeper(directory).start(now.keeper(), options, line, now.commandTimeout());
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
        GvisorConfig now = config.with(versions.of(record.get().version()));
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
