package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
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
  private final DriverChoice drivers;
  private final Lifecycle lifecycle;
  private final Templates templates;

  Recovery(
      EngineConfig config,
      SandboxRows rows,
      DriverChoice drivers,
      Lifecycle lifecycle,
      Templates templates) {
    this.config = config;
    this.rows = rows;
    this.drivers = drivers;
    this.lifecycle = lifecycle;
    this.templates = templates;
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
    lifecycle.all().forEach(sandbox -> known.add(sandbox.id()));
    for (Driver driver : drivers.all()) {
      done.addAll(driver.sweep(config.sandboxes(), known));
    }
    done.addAll(removeUnknown(known));
    done.addAll(templates.sweep());
    int purged = rows.purge(KEEP_ENDED);
    if (purged > 0) {
      done.add("forgot " + purged + " sandboxes that ended long ago");
    }
    done.forEach(line -> LOG.info("recovery: {}", line));
    return List.copyOf(done);
  }

  private String recover(SandboxRows.Row row) {
    SandboxInfo info = row.info();
    if (info.state() == SandboxState.CREATING) {
      rows.delete(info.id());
      return "sandbox " + info.id() + " was being made: undone";
    }
    try {
      Optional<Machine> machine =
          drivers
              .named(info.driver())
              .flatMap(d -> d.reattach(info.id(), config.sandboxes().resolve(info.id())));
      if (machine.isPresent()) {
        return adopt(row, machine.get());
      }
    } catch (RuntimeException e) {
      LOG.warn("sandbox {} could not be taken over", info.id(), e);
    }
    rows.update(info.withState(SandboxState.FAILED, "lost", Instant.now()));
    return "sandbox " + info.id() + " is no more: marked as failed";
  }

  private String adopt(SandboxRows.Row row, Machine machine) {
    SandboxInfo info = row.info();
    LiveSandbox sandbox =
        new LiveSandbox(row.project(), info, machine, templates.env(info.template()));
    lifecycle.adopt(sandbox);
    if (info.state() == SandboxState.RUNNING) {
      try {
        lifecycle.reconnect(sandbox, RECONNECT_DEADLINE);
      } catch (RuntimeException e) {
        LOG.warn("sandbox {} did not answer", info.id(), e);
        lifecycle.end(sandbox, SandboxState.FAILED, "lost");
        return "sandbox " + info.id() + " did not answer: ended";
      }
    }
    return "sandbox " + info.id() + " taken over";
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
