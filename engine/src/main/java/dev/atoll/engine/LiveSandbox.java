package dev.atoll.engine;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.net.Ingress;
import dev.atoll.engine.run.Runs;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that has not ended.
 *
 * <p>Changes of state happen with {@link #lock} held; reading {@link #info} needs no lock. Calls
 * that use the machine {@link #enter} first and {@link #leave} afterwards, so that a machine is not
 * taken away under them without need.
 */
final class LiveSandbox {
  /** Held while the state changes; taken before the store's lock. */
  final ReentrantLock lock = new ReentrantLock();

  private final String project;
  private final Map<String, String> templateEnv;
  private final Secrets secrets;
  private final AtomicInteger users = new AtomicInteger();
  private volatile SandboxInfo info;
  private volatile Instant lastUsed;
  private volatile @Nullable Incarnation incarnation;
  private volatile @Nullable String image;
  private volatile @Nullable Egress egress;
  private volatile boolean moving;
  private final AtomicLong version = new AtomicLong();
  private final Ingress ingress = new Ingress(this::used);
  private final AtomicReference<CompletableFuture<@Nullable Void>> checkpointing =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  LiveSandbox(String project, SandboxInfo info, Map<String, String> templateEnv, Secrets secrets) {
    this.project = project;
    this.info = info;
    this.templateEnv = Map.copyOf(templateEnv);
    this.secrets = secrets;
    this.lastUsed = info.lastUsedAt();
  }

  String id() {
    return info.id();
  }

  String project() {
    return project;
  }

  SandboxInfo info() {
    return info.withLastUsedAt(lastUsed);
  }

  SandboxInfo change(UnaryOperator<SandboxInfo> change) {
    SandboxInfo changed = change.apply(info());
    info = changed;
    return changed;
  }

  /** The same, once it is written: what could not be written has not happened. */
  SandboxInfo change(UnaryOperator<SandboxInfo> change, Consumer<SandboxInfo> writing) {
    SandboxInfo changed = change.apply(info());
    writing.accept(changed);
    info = changed;
    return changed;
  }

  Identity identity() {
    return identity(info);
  }

  /** Of this sandbox, or of one that is made from it. */
  Identity identity(SandboxInfo of) {
    return Identity.of(of, templateEnv, secrets.variables(project, of.secrets()));
  }

  /** One that is made from this one. */
  LiveSandbox child(SandboxInfo of) {
    return new LiveSandbox(project, of, templateEnv, secrets);
  }

  Map<String, String> templateEnv() {
    return templateEnv;
  }

  /** Lives in this machine from now on. */
  void inhabit(Incarnation newIncarnation) {
    version.incrementAndGet();
    incarnation = newIncarnation;
    image = null;
  }

  /** Is on disk from now on. */
  void sleep(String newImage) {
    version.incrementAndGet();
    image = newImage;
    incarnation = null;
  }

  /** The machine; null while the sandbox is hibernated. */
  @Nullable Incarnation incarnation() {
    return incarnation;
  }

  /** The machine of a sandbox that has one. */
  Incarnation body() {
    Incarnation now = incarnation;
    if (now == null) {
      throw notRunning();
    }
    return now;
  }

  /** Its way out; the same whatever machine it lives in. */
  @Nullable Egress egress() {
    return egress;
  }

  void egress(Egress wayOut) {
    egress = wayOut;
  }

  /** Its way in; the same whatever machine it lives in. */
  Ingress ingress() {
    return ingress;
  }

  /** Closes all connections, in and out. */
  void closeNetwork() {
    ingress.close();
    Egress wayOut = egress;
    if (wayOut != null) {
      wayOut.close();
    }
  }

  /** Bytes from outside have reached a program, or the other way round. */
  private void used() {
    markChanged();
    touch();
  }

  /** What holds it while it is hibernated. */
  @Nullable String image() {
    return image;
  }

  void touch() {
    lastUsed = Instant.now();
  }

  /** Begins a call that uses the machine. Says whether the machine can be used as it is. */
  boolean enter() {
    users.incrementAndGet();
    version.incrementAndGet();
    touch();
    // One that is just waking up says that it runs a moment before it can be spoken to.
    Incarnation now = incarnation;
    return !moving && info.state() == SandboxState.RUNNING && now != null && now.guest() != null;
  }

  void leave() {
    users.decrementAndGet();
  }

  /** Another number whenever something may have changed the sandbox's state from outside. */
  long version() {
    return version.get();
  }

  /** Notes that the state is not what it was, although nobody called. */
  void markChanged() {
    version.incrementAndGet();
  }

  /** Done when the checkpoint after the last run is written. */
  CompletableFuture<@Nullable Void> pendingCheckpoint() {
    return checkpointing.get();
  }

  /** Announces a checkpoint; gives the one that was announced before it. */
  CompletableFuture<@Nullable Void> pendingCheckpoint(CompletableFuture<@Nullable Void> next) {
    return checkpointing.getAndSet(next);
  }

  boolean isUsed() {
    return users.get() > 0;
  }

  /**
   * Keeps new calls waiting, since the machine is about to change, and gives those under way a
   * moment to end.
   */
  void move(Duration patience) {
    moving = true;
    long deadline = System.nanoTime() + patience.toNanos();
    while (users.get() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(200_000);
    }
  }

  void moved() {
    moving = false;
  }

  /** The agent, if the sandbox answers. */
  Guest guest() {
    Incarnation now = incarnation;
    Guest connected = now == null ? null : now.guest();
    if (info.state() != SandboxState.RUNNING || connected == null) {
      throw notRunning();
    }
    return connected;
  }

  Runs runs() {
    guest();
    Runs connected = body().runs();
    if (connected == null) {
      throw notRunning();
    }
    return connected;
  }

  AtollException notRunning() {
    SandboxState state = info.state();
    return new AtollException(
        ErrorCode.SANDBOX_NOT_RUNNING,
        "sandbox " + id() + " is " + state.wire(),
        state == SandboxState.PAUSED ? "resume it first" : null,
        Map.of("state", state.wire()),
        null);
  }

  boolean isBusy() {
    Incarnation now = incarnation;
    if (now == null) {
      return false;
    }
    Runs runs = now.runs();
    Guest guest = now.guest();
    return isUsed() || (runs != null && runs.isBusy()) || (guest != null && guest.hasTransfers());
  }

  boolean isExpired(Instant now) {
    Instant expires = info.expiresAt();
    return expires != null && !now.isBefore(expires);
  }

  boolean isIdle(Instant now) {
    Double seconds = info.idleTimeoutSeconds();
    boolean staysUp = info.persistent() && info.onIdle() == OnIdle.TERMINATE;
    if (seconds == null || staysUp || info.state() == SandboxState.HIBERNATED) {
      return false;
    }
    return Duration.between(lastUsed, now).toMillis() >= seconds * 1000;
  }
}
