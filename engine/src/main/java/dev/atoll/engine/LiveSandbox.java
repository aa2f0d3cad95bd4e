package dev.atoll.engine;

import dev.atoll.driver.Machine;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.protocol.wire.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that has a machine in this server.
 *
 * <p>Changes of state happen with {@link #lock} held; reading {@link #info} needs no lock.
 */
final class LiveSandbox {
  /** Held while the state changes; taken before the store's lock. */
  final ReentrantLock lock = new ReentrantLock();

  private final String project;
  private final Machine machine;
  private final Map<String, String> baseEnv;
  private volatile SandboxInfo info;
  private volatile Instant lastUsed;
  private volatile @Nullable Guest guest;
  private volatile @Nullable Runs runs;

  LiveSandbox(String project, SandboxInfo info, Machine machine, Map<String, String> baseEnv) {
    this.project = project;
    this.info = info;
    this.machine = machine;
    this.baseEnv = Map.copyOf(baseEnv);
    this.lastUsed = info.lastUsedAt();
  }

  String id() {
    return info.id();
  }

  String project() {
    return project;
  }

  Machine machine() {
    return machine;
  }

  SandboxInfo info() {
    return info.withLastUsedAt(lastUsed);
  }

  SandboxInfo change(UnaryOperator<SandboxInfo> change) {
    SandboxInfo changed = change.apply(info());
    info = changed;
    return changed;
  }

  void connect(Guest newGuest, Runs newRuns) {
    guest = newGuest;
    runs = newRuns;
  }

  boolean isConnected() {
    return guest != null;
  }

  void touch() {
    lastUsed = Instant.now();
  }

  /** The agent, if the sandbox answers. */
  Guest guest() {
    SandboxState state = info.state();
    Guest connected = guest;
    if (state != SandboxState.RUNNING || connected == null) {
      throw new AtollException(
          ErrorCode.SANDBOX_NOT_RUNNING,
          "sandbox " + id() + " is " + state.wire(),
          state == SandboxState.PAUSED ? "resume it first" : null,
          Map.of("state", state.wire()),
          null);
    }
    return connected;
  }

  Runs runs() {
    guest();
    Runs connected = runs;
    if (connected == null) {
      throw new AtollException(ErrorCode.SANDBOX_NOT_RUNNING, "sandbox " + id() + " has no runs");
    }
    return connected;
  }

  boolean isBusy() {
    Runs connected = runs;
    return connected != null && connected.isBusy();
  }

  void stopRuns() {
    Runs connected = runs;
    if (connected != null) {
      connected.close();
    }
  }

  /** Variables of everything that runs in it: the template's under the sandbox's own. */
  Map<String, String> env() {
    Map<String, String> env = new HashMap<>(baseEnv);
    env.put("ATOLL_SANDBOX_ID", id());
    env.putAll(info.env());
    return env;
  }

  Limits limits() {
    return Limits.newBuilder()
        .setMemoryBytes((long) info.memoryMiB() << 20)
        .setDiskBytes((long) info.diskMiB() << 20)
        .setProcesses(info.processes())
        .build();
  }

  /** Gives a restored agent its identity. */
  void thaw(Guest agent, Duration deadline) {
    agent.thaw(true, id().replace('_', '-'), env(), limits(), deadline);
  }

  boolean isExpired(Instant now) {
    Instant expires = info.expiresAt();
    return expires != null && !now.isBefore(expires);
  }

  boolean isIdle(Instant now) {
    Double seconds = info.idleTimeoutSeconds();
    if (seconds == null || info.persistent()) {
      return false;
    }
    return Duration.between(lastUsed, now).toMillis() >= seconds * 1000;
  }
}
