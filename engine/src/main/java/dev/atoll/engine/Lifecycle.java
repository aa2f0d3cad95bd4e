package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.Runs;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.Store;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import dev.atoll.model.Json;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and ends sandboxes.
 *
 * <p>The database row is the truth. A row is written before anything exists on the host and is
 * marked as ended before anything is removed, so that whatever a crash leaves behind belongs to a
 * row that says what to do with it; see {@link Recovery}.
 */
final class Lifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);
  private static final Duration THAW_DEADLINE = Duration.ofSeconds(60);
  private static final Duration EXIT_DEADLINE = Duration.ofSeconds(5);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final EngineConfig config;
  private final Store store;
  private final SandboxRows rows;
  private final DriverChoice drivers;
  private final Templates templates;
  private final Deadlines deadlines;
  private final Map<String, LiveSandbox> live = new ConcurrentHashMap<>();
  // Restores are bound by the CPU: more at once only make each of them slower.
  private final Semaphore restoring =
      new Semaphore(Math.max(2, Runtime.getRuntime().availableProcessors()), true);
  private volatile boolean closed;

  Lifecycle(
      EngineConfig config,
      Store store,
      SandboxRows rows,
      DriverChoice drivers,
      Templates templates,
      Deadlines deadlines) {
    this.config = config;
    this.store = store;
    this.rows = rows;
    this.drivers = drivers;
    this.templates = templates;
    this.deadlines = deadlines;
  }

  @Nullable LiveSandbox live(String id) {
    return live.get(id);
  }

  Collection<LiveSandbox> all() {
    return live.values();
  }

  Map<SandboxState, Long> counts() {
    return live.values().stream()
        .collect(Collectors.groupingBy(s -> s.info().state(), Collectors.counting()));
  }

  SandboxInfo create(String project, SandboxSpec spec, @Nullable String idempotencyKey) {
    String request = Json.lenient().writeValueAsString(spec);
    if (idempotencyKey != null) {
      SandboxInfo earlier = earlier(project, idempotencyKey, request);
      if (earlier != null) {
        return earlier;
      }
    }
    Driver driver = drivers.of(spec.isolation() == null ? Isolation.AUTO : spec.isolation());
    String templateName = spec.template() == null ? config.sandbox().template() : spec.template();
    Template template = templates.ready(templateName, driver, message -> {});
    SandboxInfo info = describe(spec, template, driver);
    register(project, info, idempotencyKey, request);
    try {
      return start(project, info, template, driver);
    } catch (RuntimeException e) {
      unregister(info.id());
      throw e;
    }
  }

  private @Nullable SandboxInfo earlier(String project, String key, String request) {
    record Earlier(String request, String sandbox) {}
    List<Earlier> found =
        store.query(
            row -> new Earlier(row.getString("request"), row.getString("sandbox")),
            "SELECT request, sandbox FROM idempotency WHERE project=? AND key=?",
            project,
            key);
    if (found.isEmpty()) {
      return null;
    }
    if (!found.getFirst().request().equals(request)) {
      throw new AtollException(
          ErrorCode.IDEMPOTENCY_MISMATCH,
          "idempotency key " + key + " was used with another request",
          "use a new key for a new request");
    }
    SandboxInfo row = rows.find(project, found.getFirst().sandbox()).orElse(null);
    if (row != null && row.state() == SandboxState.CREATING) {
      throw new AtollException(
          ErrorCode.CONFLICT, "the first request with this key is still being served", "try again");
    }
    return row;
  }

  private SandboxInfo describe(SandboxSpec spec, Template template, Driver driver) {
    SandboxDefaults defaults = config.sandbox();
    Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
    boolean persistent = Boolean.TRUE.equals(spec.persistent());
    Double ttl = spec.ttlSeconds() != null ? spec.ttlSeconds() : seconds(defaults.ttl());
    Double idle =
        spec.idleTimeoutSeconds() != null
            ? spec.idleTimeoutSeconds()
            : persistent ? null : seconds(defaults.idleTimeout());
    return new SandboxInfo(
        "sbx_"
            + Long.toString(RANDOM.nextLong() >>> 1, 36)
            + Integer.toString(RANDOM.nextInt(36), 36),
        spec.name(),
        SandboxState.CREATING,
        null,
        template.recipe().name(),
        template.digest(),
        driver.isolation(),
        driver.name(),
        spec.cpus() == null ? defaults.cpus() : spec.cpus(),
        spec.memoryMiB() == null ? defaults.memoryMiB() : spec.memoryMiB(),
        spec.diskMiB() == null ? defaults.diskMiB() : spec.diskMiB(),
        spec.processes() == null ? defaults.processes() : spec.processes(),
        spec.env() == null ? Map.of() : spec.env(),
        spec.metadata() == null ? Map.of() : spec.metadata(),
        persistent,
        now,
        now,
        ttl == null ? null : Sandboxes.after(now, ttl),
        idle,
        null);
  }

  private static @Nullable Double seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis() / 1000.0;
  }

  private void register(
      String project, SandboxInfo info, @Nullable String idempotencyKey, String request) {
    long living = live.values().stream().filter(s -> s.project().equals(project)).count();
    if (living >= config.sandbox().maxPerProject()) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project has " + living + " sandboxes, which is its limit",
          "end some of them, or raise sandbox.max-per-project",
          Map.of("limit", config.sandbox().maxPerProject()),
          null);
    }
    try {
      store.transaction(
          () -> {
            rows.insert(project, info);
            if (idempotencyKey != null) {
              store.update(
                  "INSERT INTO idempotency (project, key, request, sandbox, created_at) VALUES (?,?,?,?,?)",
                  project,
                  idempotencyKey,
                  request,
                  info.id(),
                  info.createdAt().toEpochMilli());
            }
          });
    } catch (AtollException e) {
      if (e.code() == ErrorCode.CONFLICT && String.valueOf(e.getMessage()).contains("sandboxes.")) {
        throw new AtollException(
            ErrorCode.NAME_TAKEN,
            "there is a living sandbox named " + info.name() + " already",
            "use it, end it, or choose another name");
      }
      throw e;
    }
  }

  private void unregister(String id) {
    store.transaction(
        () -> {
          rows.delete(id);
          store.update("DELETE FROM idempotency WHERE sandbox=?", id);
        });
  }

  private SandboxInfo start(String project, SandboxInfo info, Template template, Driver driver) {
    Path directory = config.sandboxes().resolve(info.id());
    Machine machine = null;
    boolean done = false;
    acquire();
    try {
      Files.createDirectories(directory);
      MachineLimits limits =
          new MachineLimits(
              info.cpus(),
              (long) info.memoryMiB() << 20,
              (long) info.diskMiB() << 20,
              info.processes());
      machine =
          driver.restore(
              template.checkpoint(),
              new MachineSpec(info.id(), directory, template.rootfs(), limits));
      LiveSandbox sandbox = new LiveSandbox(project, info, machine, template.recipe().env());
      Guest guest = new Guest(machine.stream(), loss -> lost(sandbox, loss));
      guest.start(info.id());
      sandbox.thaw(guest, THAW_DEADLINE);
      sandbox.connect(guest, new Runs(guest, deadlines, config.run()));
      SandboxInfo running = sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null));
      sandbox.touch();
      rows.update(running);
      live.put(info.id(), sandbox);
      done = true;
      return running;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      restoring.release();
      if (!done) {
        remove(machine, directory);
      }
    }
  }

  private void acquire() {
    try {
      restoring.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a place");
    }
  }

  /** Takes in a sandbox that {@link Recovery} has found again. */
  void adopt(LiveSandbox sandbox) {
    live.put(sandbox.id(), sandbox);
  }

  /** Reconnects to the agent of a machine that an earlier server started. */
  void reconnect(LiveSandbox sandbox, Duration deadline) {
    Guest guest = new Guest(sandbox.machine().stream(), loss -> lost(sandbox, loss));
    Runs runs = new Runs(guest, deadlines, config.run());
    guest.recover(sandbox.id(), runs::adopt, deadline);
    runs.adopted();
    sandbox.connect(guest, runs);
  }

  SandboxInfo update(LiveSandbox sandbox, SandboxUpdate update) {
    sandbox.lock.lock();
    try {
      SandboxInfo changed = sandbox.change(info -> info.withUpdate(update, Instant.now()));
      rows.update(changed);
      if (update.env() != null && changed.state() == SandboxState.RUNNING) {
        sandbox.guest().thaw(false, "", sandbox.env(), sandbox.limits(), THAW_DEADLINE);
      }
      return changed;
    } finally {
      sandbox.lock.unlock();
    }
  }

  SandboxInfo pause(LiveSandbox sandbox) {
    sandbox.lock.lock();
    try {
      if (sandbox.info().state() == SandboxState.PAUSED) {
        return sandbox.info();
      }
      sandbox.guest();
      sandbox.machine().pause();
      SandboxInfo paused = sandbox.change(i -> i.withState(SandboxState.PAUSED, null, null));
      rows.update(paused);
      return paused;
    } finally {
      sandbox.lock.unlock();
    }
  }

  SandboxInfo resume(LiveSandbox sandbox) {
    sandbox.lock.lock();
    try {
      if (sandbox.info().state() == SandboxState.RUNNING) {
        return sandbox.info();
      }
      sandbox.machine().resume();
      if (!sandbox.isConnected()) {
        reconnect(sandbox, THAW_DEADLINE);
      }
      SandboxInfo running = sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null));
      rows.update(running);
      return running;
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** Ends a sandbox and removes every trace of it. Does nothing when it has ended already. */
  void end(LiveSandbox sandbox, SandboxState state, String reason) {
    sandbox.lock.lock();
    try {
      if (closed || !live.containsKey(sandbox.id())) {
        return;
      }
      rows.update(sandbox.change(info -> info.withState(state, reason, Instant.now())));
      live.remove(sandbox.id());
      sandbox.stopRuns();
      remove(sandbox.machine(), config.sandboxes().resolve(sandbox.id()));
    } finally {
      sandbox.lock.unlock();
    }
  }

  private void lost(LiveSandbox sandbox, Guest.Loss loss) {
    if (closed || !live.containsKey(sandbox.id())) {
      return;
    }
    String reason = loss.protocol() ? "protocol_error" : reason(sandbox.machine());
    LOG.warn("sandbox {} is lost: {} ({})", sandbox.id(), reason, loss.reason());
    end(sandbox, SandboxState.FAILED, reason);
  }

  private static String reason(Machine machine) {
    try {
      MachineExit exit = machine.exit().get(EXIT_DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      return switch (exit.cause()) {
        case OUT_OF_MEMORY -> "memory_limit";
        case OUT_OF_DISK -> "disk_limit";
        case PROTOCOL -> "protocol_error";
        case CLOSED, CRASHED -> "crashed";
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "crashed";
    } catch (ExecutionException | TimeoutException e) {
      return "crashed";
    }
  }

  private static void remove(@Nullable Machine machine, Path directory) {
    if (machine != null) {
      machine.close();
    }
    Trees.delete(directory);
  }

  /** Lets go of all machines without ending them. */
  void detach() {
    closed = true;
    for (LiveSandbox sandbox : live.values()) {
      sandbox.stopRuns();
      sandbox.machine().detach();
    }
    live.clear();
  }
}
