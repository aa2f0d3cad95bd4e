package dev.atoll.engine;

import dev.atoll.driver.Machine;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.inject.Injector;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.net.Network;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.run.Runs;
import dev.atoll.engine.secret.Secrets;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and ends sandboxes, and moves them from one machine to another. */
final class Lifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);
  private static final Duration CALLS_PATIENCE = Duration.ofSeconds(2);

  private final Registry registry;
  private final Machines machines;
  private final Origins origins;
  private final ImageStore images;
  private final NewSandbox newSandbox;
  private final WarmPool warm;
  private final UsedTemplates used;
  private final Network network;
  private final Secrets secrets;
  private final Injector injector;
  private volatile RunWatcher watcher = (sandbox, run, note) -> {};
  private volatile Consumer<SandboxInfo> ended = info -> {};
  private volatile boolean closed;

  Lifecycle(
      SandboxDefaults defaults,
      Registry registry,
      Machines machines,
      Origins origins,
      ImageStore images,
      WarmPool warm,
      UsedTemplates used,
      Network network,
      Secrets secrets,
      Injector injector) {
    this.newSandbox = new NewSandbox(defaults);
    this.registry = registry;
    this.machines = machines;
    this.origins = origins;
    this.images = images;
    this.warm = warm;
    this.used = used;
    this.network = network;
    this.secrets = secrets;
    this.injector = injector;
  }

  // Making.

  SandboxInfo create(String project, SandboxSpec spec, @Nullable String idempotencyKey) {
    String request = Json.lenient().writeValueAsString(spec);
    if (idempotencyKey != null) {
      SandboxInfo earlier = registry.earlier(project, idempotencyKey, request);
      if (earlier != null) {
        return earlier;
      }
    }
    Registry.Key key = idempotencyKey == null ? null : new Registry.Key(idempotencyKey, request);
    return create(project, spec, key, warm::takeFor);
  }

  /** A template whose files are damaged is made anew, and the sandbox from that. */
  private SandboxInfo create(
      String project,
      SandboxSpec spec,
      Registry.@Nullable Key key,
      Function<SandboxInfo, @Nullable WarmMachine> stock) {
    Instant began = Instant.now();
    try {
      return createOnce(project, spec, key, stock);
    } catch (RuntimeException e) {
      if (!mayBeDamage(e) || !origins.mend(project, spec, began)) {
        throw e;
      }
      LOG.warn("a sandbox could not be made and is tried once more: {}", e.getMessage());
      return createOnce(project, spec, key, stock);
    }
  }

  private static boolean mayBeDamage(RuntimeException e) {
    return !(e instanceof AtollException known)
        || switch (known.code()) {
          case SANDBOX_FAILED, PROTOCOL_ERROR, TIMEOUT, INTERNAL, SNAPSHOT_INCOMPATIBLE -> true;
          default -> false;
        };
  }

  private SandboxInfo createOnce(
      String project,
      SandboxSpec spec,
      Registry.@Nullable Key key,
      Function<SandboxInfo, @Nullable WarmMachine> stock) {
    secrets.require(project, spec.secrets());
    try (Origin origin = origins.of(project, spec)) {
      SandboxInfo info = newSandbox.of(Ids.sandbox(), spec, origin, null);
      try (Hold hold = registry.hold(project, info)) {
        WarmMachine ready = stock.apply(info);
        if (ready == null) {
          return make(project, info, key, origin);
        }
        hold.become(ready.id());
        return claim(project, newSandbox.of(ready.id(), spec, origin, null), key, ready);
      }
    }
  }

  /** Makes a sandbox for a program that runs once; the next one of its template is made ahead. */
  SandboxInfo createForProgram(String project, SandboxSpec spec) {
    return create(
        project,
        spec,
        null,
        info -> warm.fits(info) ? warm.takeFor(info) : used.takeFor(project, info));
  }

  LiveSandbox live(String project, SandboxInfo info, Map<String, String> templateEnv) {
    return new LiveSandbox(project, info, templateEnv, secrets);
  }

  /** Makes a sandbox with a machine of its own. */
  SandboxInfo make(String project, SandboxInfo info, Registry.@Nullable Key key, Origin origin) {
    LiveSandbox sandbox = live(project, info, origin.templateEnv());
    if (info.name() == null && key == null) {
      // Nothing has to be kept from others meanwhile, and a machine without a row is swept.
      return enter(
          sandbox,
          machines.start(origin, sandbox.identity()),
          (i, machine) -> registry.register(project, i, machine, null));
    }
    registry.register(project, info, null, key);
    try {
      return enter(
          sandbox,
          machines.start(origin, sandbox.identity()),
          (i, machine) -> registry.move(i, machine, null));
    } catch (RuntimeException e) {
      try {
        registry.unregister(info.id());
      } catch (AtollException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
  }

  /**
   * Lets a sandbox that has failed live again, in a machine of its own, under its id. Two who ask
   * for it at once get one of them; the other is told that it lives.
   */
  SandboxInfo revive(String project, SandboxInfo failed, Origin origin) {
    LiveSandbox sandbox = live(project, failed, origin.templateEnv());
    return enter(
        sandbox,
        machines.start(origin, sandbox.identity()),
        (i, machine) -> registry.revive(i, machine));
  }

  private SandboxInfo enter(LiveSandbox sandbox, Incarnation incarnation, Writing writing) {
    boolean done = false;
    try {
      trust(sandbox, incarnation);
      SandboxInfo running = begin(sandbox, incarnation, writing);
      done = true;
      return running;
    } finally {
      if (!done) {
        machines.remove(incarnation);
      }
    }
  }

  /** Gives a machine that was kept ready to a sandbox; its row and its start are one step. */
  SandboxInfo claim(
      String project, SandboxInfo info, Registry.@Nullable Key key, WarmMachine ready) {
    LiveSandbox sandbox = live(project, info, ready.templateEnv());
    return enter(
        sandbox,
        ready.incarnation(),
        (i, machine) -> {
          ready.become(sandbox.identity());
          registry.register(project, i, machine, key);
        });
  }

  private interface Writing {
    void write(SandboxInfo info, String machine);
  }

  private SandboxInfo begin(LiveSandbox sandbox, Incarnation incarnation, Writing writing) {
    SandboxInfo running = sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null));
    writing.write(running, incarnation.machine().id());
    adopt(sandbox, incarnation);
    return running;
  }

  /** Takes in a sandbox that lives in a machine. */
  void adopt(LiveSandbox sandbox, Incarnation incarnation) {
    sandbox.inhabit(incarnation);
    incarnation.belongTo(sandbox.project());
    registry.add(sandbox);
    machines.own(incarnation.machine().id(), sandbox.id());
    letOut(sandbox, incarnation);
    watch(sandbox, incarnation);
    incarnation.onLoss(loss -> lost(sandbox, incarnation, loss));
  }

  /** Lets the guest reach what the sandbox's policy allows. */
  private void letOut(LiveSandbox sandbox, Incarnation incarnation) {
    Egress egress = sandbox.egress();
    if (egress == null) {
      SandboxInfo info = sandbox.info();
      egress =
          network.open(
              info.id(),
              sandbox.project(),
              info.network(),
              network.registries(origins.rootfs(info.templateDigest())));
      sandbox.egress(egress);
      giveSecrets(sandbox);
    }
    Guest guest = incarnation.guest();
    if (guest != null) {
      guest.egress(egress);
    }
  }

  private void giveSecrets(LiveSandbox sandbox) {
    Egress egress = sandbox.egress();
    if (egress != null) {
      egress.secrets(injector.of(sandbox.project(), sandbox.info().secrets()));
    }
  }

  /** Lets a machine of a sandbox with secrets trust what stands in for their domains. */
  private void trust(LiveSandbox sandbox, Incarnation incarnation) {
    Guest guest = incarnation.guest();
    if (guest != null && !sandbox.info().secrets().isEmpty()) {
      GuestTrust.add(guest, secrets.authorities().certificate(sandbox.project()));
    }
  }

  /** Told when code or a command has ended in a sandbox; must not block. */
  interface RunWatcher {
    void ended(LiveSandbox sandbox, String run, String note);
  }

  void watchRuns(RunWatcher newWatcher) {
    watcher = newWatcher;
  }

  /** Says who wants to know of sandboxes that have ended. */
  void onEnd(Consumer<SandboxInfo> listener) {
    ended = listener;
  }

  private void watch(LiveSandbox sandbox, Incarnation incarnation) {
    Runs runs = incarnation.runs();
    if (runs != null) {
      runs.onEnd((run, note) -> watcher.ended(sandbox, run, note));
    }
  }

  // Changing.

  SandboxInfo update(LiveSandbox sandbox, SandboxUpdate update) {
    sandbox.lock.lock();
    try {
      requireLiving(sandbox);
      secrets.require(sandbox.project(), update.secrets());
      SandboxInfo changed =
          sandbox.change(info -> info.withUpdate(update, Instant.now()), registry::update);
      boolean running = changed.state() == SandboxState.RUNNING;
      if (update.secrets() != null) {
        giveSecrets(sandbox);
        // Forks that were prepared have the variables of before.
        sandbox.markChanged();
        if (running) {
          trust(sandbox, sandbox.body());
        }
      }
      Egress egress = sandbox.egress();
      if (update.network() != null && egress != null) {
        egress.policy(update.network());
      }
      if ((update.env() != null || update.secrets() != null) && running) {
        sandbox.guest().thaw(sandbox.identity().goingOn(), Machines.THAW_DEADLINE);
      }
      return changed;
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** One change at a time, so that two who add a rule both find theirs in the end. */
  SandboxInfo changeNetwork(LiveSandbox sandbox, UnaryOperator<NetworkPolicy> change) {
    sandbox.lock.lock();
    try {
      NetworkPolicy changed = change.apply(sandbox.info().network());
      return update(
          sandbox,
          new SandboxUpdate(null, null, null, null, null, null, null, null, changed, null));
    } finally {
      sandbox.lock.unlock();
    }
  }

  SandboxInfo pause(LiveSandbox sandbox) {
    sandbox.lock.lock();
    try {
      requireLiving(sandbox);
      if (sandbox.info().state() == SandboxState.PAUSED) {
        return sandbox.info();
      }
      sandbox.guest();
      Machine machine = sandbox.body().machine();
      machine.pause();
      boolean written = false;
      try {
        SandboxInfo paused =
            sandbox.change(i -> i.withState(SandboxState.PAUSED, null, null), registry::update);
        written = true;
        return paused;
      } finally {
        if (!written) {
          machine.resume();
        }
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** Lets a paused or hibernated sandbox go on. */
  SandboxInfo wake(LiveSandbox sandbox) {
    sandbox.lock.lock();
    try {
      requireLiving(sandbox);
      return switch (sandbox.info().state()) {
        case PAUSED -> resume(sandbox);
        case HIBERNATED -> rise(sandbox);
        default -> sandbox.info();
      };
    } finally {
      sandbox.lock.unlock();
    }
  }

  private SandboxInfo resume(LiveSandbox sandbox) {
    Incarnation body = sandbox.body();
    body.machine().resume();
    boolean written = false;
    try {
      SandboxInfo running = goOn(sandbox, body);
      written = true;
      return running;
    } finally {
      if (!written) {
        body.machine().pause();
      }
    }
  }

  private SandboxInfo goOn(LiveSandbox sandbox, Incarnation body) {
    if (body.guest() == null) {
      machines.connect(body, sandbox.identity(), false, Machines.THAW_DEADLINE);
      letOut(sandbox, body);
      watch(sandbox, body);
      trust(sandbox, body);
    }
    SandboxInfo running =
        sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null), registry::update);
    sandbox.touch();
    return running;
  }

  /**
   * Counts a call in that needs the machine, and waits until it can be used; the caller leaves
   * afterwards.
   */
  void enter(LiveSandbox sandbox) {
    while (!sandbox.enter()) {
      sandbox.leave();
      awaken(sandbox);
    }
  }

  /** For a call that needs a machine: wakes a hibernated sandbox, and waits for one that moves. */
  void awaken(LiveSandbox sandbox) {
    sandbox.lock.lock();
    try {
      requireLiving(sandbox);
      if (sandbox.info().state() == SandboxState.HIBERNATED) {
        rise(sandbox);
      } else {
        sandbox.guest();
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  private SandboxInfo rise(LiveSandbox sandbox) {
    String image = sandbox.image();
    if (image == null) {
      throw sandbox.notRunning();
    }
    try (Hold _ = registry.hold(sandbox.project(), sandbox.info())) {
      return rise(sandbox, image);
    }
  }

  private SandboxInfo rise(LiveSandbox sandbox, String image) {
    Incarnation incarnation;
    try (Origin origin = origins.image(sandbox.info(), image)) {
      incarnation = machines.restore(origin.start(), sandbox.identity());
    }
    SandboxInfo running;
    boolean written = false;
    try {
      trust(sandbox, incarnation);
      running =
          sandbox.change(
              i -> i.withState(SandboxState.RUNNING, null, null),
              awake -> registry.move(awake, incarnation.machine().id(), null));
      written = true;
    } finally {
      if (!written) {
        machines.remove(incarnation);
      }
    }
    sandbox.touch();
    adopt(sandbox, incarnation);
    images.delete(image);
    return running;
  }

  /**
   * Brings a sandbox to disk and frees its memory.
   *
   * @param onlyIfIdle gives up when somebody has begun to use it
   */
  SandboxInfo hibernate(LiveSandbox sandbox, boolean onlyIfIdle) {
    sandbox.lock.lock();
    try {
      requireLiving(sandbox);
      if (sandbox.info().state() == SandboxState.HIBERNATED) {
        return sandbox.info();
      }
      if (sandbox.info().state() == SandboxState.PAUSED) {
        resume(sandbox);
      }
      sandbox.move(onlyIfIdle ? Duration.ZERO : CALLS_PATIENCE);
      if (onlyIfIdle && (sandbox.isBusy() || !sandbox.isIdle(Instant.now()))) {
        return sandbox.info();
      }
      return machines.room().telling(() -> lieDown(sandbox));
    } finally {
      sandbox.moved();
      sandbox.lock.unlock();
    }
  }

  private SandboxInfo lieDown(LiveSandbox sandbox) {
    String image = Ids.image();
    Incarnation body = sandbox.body();
    SandboxInfo asleep = sandbox.info().withState(SandboxState.HIBERNATED, null, null);
    boolean done = false;
    try {
      var _ = freeze(sandbox, () -> body.machine().checkpoint(images.aside(image), true), false);
      keep(sandbox, asleep, image);
      done = true;
    } finally {
      if (!done) {
        images.undo(image);
      }
    }
    sandbox.sleep(image);
    try {
      machines.remove(body);
    } finally {
      // Whoever reads that it sleeps may count on its memory being free.
      sandbox.change(i -> asleep);
    }
    return asleep;
  }

  private void keep(LiveSandbox sandbox, SandboxInfo asleep, String image) {
    boolean done = false;
    try {
      images.add(image, null);
      registry.move(asleep, null, image);
      done = true;
    } finally {
      if (!done) {
        sandbox.guest().thaw(sandbox.identity().goingOn(), Machines.THAW_DEADLINE);
      }
    }
  }

  /**
   * Does something while the agent of a running sandbox is quiet, and lets it go on.
   *
   * @param goOn false: the agent stays quiet unless the work fails
   */
  <T> T freeze(LiveSandbox sandbox, Supplier<T> work, boolean goOn) {
    Guest guest = sandbox.guest();
    boolean done = false;
    try {
      guest.quiesce(Machines.THAW_DEADLINE);
      T result = work.get();
      done = true;
      return result;
    } finally {
      if (goOn || !done) {
        guest.thaw(sandbox.identity().goingOn(), Machines.THAW_DEADLINE);
      }
    }
  }

  /**
   * Lets a sandbox go on in another machine and removes the one that it had. The caller holds the
   * lock, and has written the change to the store with {@code writing} or does so there.
   */
  SandboxInfo moveTo(
      LiveSandbox sandbox, Incarnation incarnation, SandboxInfo changed, Runnable writing) {
    Incarnation before = sandbox.incarnation();
    String image = sandbox.image();
    sandbox.move(CALLS_PATIENCE);
    try {
      trust(sandbox, incarnation);
      writing.run();
      sandbox.change(i -> changed);
      sandbox.touch();
      adopt(sandbox, incarnation);
    } finally {
      sandbox.moved();
    }
    if (before != null) {
      machines.remove(before);
    }
    if (image != null) {
      images.delete(image);
    }
    return sandbox.info();
  }

  void requireLiving(LiveSandbox sandbox) {
    if (!registry.has(sandbox)) {
      throw gone(sandbox.info());
    }
  }

  static AtollException gone(SandboxInfo row) {
    return new AtollException(
        ErrorCode.GONE,
        "sandbox %s is %s%s"
            .formatted(
                row.id(),
                row.state().wire(),
                row.reason() == null ? "" : " (" + row.reason() + ")"),
        row.state() == SandboxState.FAILED
            ? "`atoll rewind %s` brings it back to the newest state that is kept of it, if there is one; or create a new one"
                .formatted(row.id())
            : "create a new one",
        row.reason() == null
            ? Map.of("state", row.state().wire())
            : Map.of("state", row.state().wire(), "reason", row.reason()),
        null);
  }

  // Ending.

  /** Ends a sandbox and removes every trace of it. Does nothing when it has ended already. */
  void end(LiveSandbox sandbox, SandboxState state, String reason) {
    lockToEnd(sandbox);
    try {
      if (closed || !registry.has(sandbox)) {
        return;
      }
      SandboxInfo _ =
          sandbox.change(info -> info.withState(state, reason, Instant.now()), registry::end);
      registry.remove(sandbox);
      sandbox.closeNetwork();
      Incarnation body = sandbox.incarnation();
      if (body != null) {
        machines.remove(body);
      }
      String image = sandbox.image();
      if (image != null) {
        images.delete(image);
      }
      ended.accept(sandbox.info());
    } finally {
      sandbox.lock.unlock();
    }
  }

  /**
   * Whoever holds the lock may be writing to a guest that takes nothing, and would do so for ever:
   * without its machine the write fails.
   */
  private static void lockToEnd(LiveSandbox sandbox) {
    try {
      if (sandbox.lock.tryLock(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while ending a sandbox");
    }
    Incarnation body = sandbox.incarnation();
    if (body != null) {
      body.machine().close();
    }
    sandbox.lock.lock();
  }

  private void lost(LiveSandbox sandbox, Incarnation incarnation, Guest.Loss loss) {
    if (closed || sandbox.incarnation() != incarnation || !registry.has(sandbox)) {
      return;
    }
    String reason = loss.protocol() ? "protocol_error" : incarnation.reason();
    sandbox.lock.lock();
    try {
      // It may have moved to another machine, and this one been removed, in the meantime.
      if (sandbox.incarnation() == incarnation) {
        LOG.warn("sandbox {} is lost: {} ({})", sandbox.id(), reason, loss.reason());
        end(sandbox, SandboxState.FAILED, reason);
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** Lets go of all machines without ending them. */
  void detach() {
    closed = true;
    for (LiveSandbox sandbox : registry.all()) {
      Incarnation body = sandbox.incarnation();
      if (body != null) {
        body.stopRuns();
        body.machine().detach();
      }
    }
    registry.clear();
  }
}
