package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts rows, machines and files back in agreement when the server starts: living machines are taken
 * over, what was being made is undone, and what belongs to no living row is removed.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final Duration RECONNECT_DEADLINE = Duration.ofSeconds(30);
  private static final Duration KEEP_ENDED = Duration.ofDays(1);

  private final EngineConfig config;
  private final SandboxRows rows;
  private final SnapshotRows snapshots;
  private final DriverChoice drivers;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Machines machines;
  private final Templates templates;
  private final ImageStore images;

  Recovery(
      EngineConfig config,
      SandboxRows rows,
      SnapshotRows snapshots,
      DriverChoice drivers,
      Registry registry,
      Lifecycle lifecycle,
      Machines machines,
      Templates templates,
      ImageStore images) {
    this.config = config;
    this.rows = rows;
    this.snapshots = snapshots;
    this.drivers = drivers;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.templates = templates;
    this.images = images;
  }

  /** What was done, one line each. */
  List<String> run() throws IOException {
    Files.createDirectories(config.sandboxes());
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      for (SandboxRows.Row row : rows.living()) {
        tasks.execute(() -> done.add(recover(row)));
      }
    }
    Set<String> known = new HashSet<>();
    Set<String> kept = new HashSet<>(keptSnapshots(done));
    for (LiveSandbox sandbox : registry.all()) {
      Incarnation body = sandbox.incarnation();
      if (body != null) {
        known.add(body.machine().id());
      }
      String image = sandbox.image();
      if (image != null) {
        kept.add(image);
      }
    }
    for (String machine : ofUnknownSandboxes(known)) {
      known.add(machine);
      done.add("machine " + machine + " is of a sandbox that the database never had: left alone");
    }
    for (Driver driver : drivers.all()) {
      done.addAll(driver.sweep(config.sandboxes(), known));
    }
    done.addAll(removeUnknown(known));
    done.addAll(images.sweep(kept));
    for (Driver driver : drivers.all()) {
      done.addAll(retire(driver));
    }
    done.addAll(templates.sweep());
    int purged = rows.purge(KEEP_ENDED);
    if (purged > 0) {
      done.add("forgot " + purged + " sandboxes that ended long ago");
    }
    done.forEach(line -> LOG.info("recovery: {}", line));
    return List.copyOf(done);
  }

  /** Lets a driver remove what no state on disk needs; nothing when a state cannot be asked. */
  private List<String> retire(Driver driver) {
    try {
      Set<String> versions = new HashSet<>();
      for (String image : images.ids()) {
        images.text(image, driver.versionFile()).ifPresent(versions::add);
      }
      return driver.retire(config.sandboxes(), versions);
    } catch (RuntimeException e) {
      LOG.warn("earlier versions of driver {} are kept, needed or not", driver.name(), e);
      return List.of();
    }
  }

  /** The snapshots that are complete; one that was being written is undone. */
  private Set<String> keptSnapshots(List<String> done) {
    Set<String> kept = new HashSet<>();
    for (SnapshotRows.Row row : snapshots.all()) {
      SnapshotInfo info = row.info();
      if (info.state() == SnapshotState.READY && images.exists(info.id())) {
        kept.add(info.id());
      } else {
        snapshots.delete(info.id());
        done.add("snapshot " + info.id() + " was being written or is gone: undone");
      }
    }
    return kept;
  }

  private String recover(SandboxRows.Row row) {
    SandboxInfo info = row.info();
    if (info.state() == SandboxState.CREATING) {
      registry.unregister(info.id());
      return "sandbox " + info.id() + " was being made: undone";
    }
    String image = row.image();
    if (info.state() == SandboxState.HIBERNATED && image != null && images.exists(image)) {
      LiveSandbox asleep = live(row);
      asleep.sleep(image);
      registry.add(asleep);
      return "sandbox " + info.id() + " sleeps on";
    }
    try {
      String id = row.machine();
      Optional<Machine> machine =
          id == null
              ? Optional.empty()
              : drivers
                  .named(info.driver())
                  .flatMap(d -> d.reattach(id, config.sandboxes().resolve(id)));
      if (machine.isPresent()) {
        return adopt(row, machine.get());
      }
    } catch (RuntimeException e) {
      LOG.warn("sandbox {} could not be taken over", info.id(), e);
    }
    registry.end(info.withState(SandboxState.FAILED, "lost", Instant.now()));
    return "sandbox " + info.id() + " is no more: marked as failed";
  }

  private LiveSandbox live(SandboxRows.Row row) {
    SandboxInfo info = row.info();
    return lifecycle.live(
        row.project(), info, templates.env(info.templateDigest(), info.template()));
  }

  private String adopt(SandboxRows.Row row, Machine machine) {
    SandboxInfo info = row.info();
    LiveSandbox sandbox = live(row);
    Incarnation incarnation = new Incarnation(machine);
    lifecycle.adopt(sandbox, incarnation);
    if (info.state() == SandboxState.RUNNING) {
      try {
        machines.connect(incarnation, sandbox.identity(), false, RECONNECT_DEADLINE);
        lifecycle.adopt(sandbox, incarnation);
      } catch (RuntimeException e) {
        LOG.warn("sandbox {} did not answer", info.id(), e);
        lifecycle.end(sandbox, SandboxState.FAILED, "lost");
        return "sandbox " + info.id() + " did not answer: ended";
      }
    }
    return "sandbox " + info.id() + " taken over";
  }

  /** Were they left by a crash, the database would know whose they were. */
  private List<String> ofUnknownSandboxes(Set<String> known) throws IOException {
    try (Stream<Path> entries = Files.list(config.sandboxes())) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(machine -> !known.contains(machine))
          .filter(machine -> machines.owner(machine).filter(id -> !rows.knows(id)).isPresent())
          .toList();
    }
  }

  private List<String> removeUnknown(Set<String> known) throws IOException {
    List<String> removed = new ArrayList<>();
    try (Stream<Path> entries = Files.list(config.sandboxes())) {
      for (Path entry : entries.toList()) {
        if (!known.contains(entry.getFileName().toString())) {
          Trees.delete(entry);
          removed.add("files of sandbox " + entry.getFileName() + " removed");
        }
      }
    }
    return removed;
  }
}
