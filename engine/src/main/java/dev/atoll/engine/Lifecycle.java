package dev.atoll.engine;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.inject.Injector;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.net.Network;
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

  private SandboxInfo create(
      String project,
      SandboxSpec spec,
      Registry.@Nullable Key key,
      Function<SandboxInfo, @Nullable WarmMachine> stock) {
    secrets.require(project, spec.secrets());
    try (Origin origin = origins.of(project, spec)) {
      registry.requireRoom(project, 1);
      SandboxInfo info = newSandbox.of(Ids.sandbox(), spec, origin, null);
      WarmMachine ready = stock.apply(info);
      return ready == null
          ? make(project, info, key, origin)
          : claim(project, newSandbox.of(ready.id(), spec, origin, null), key, ready);
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
      registry.unregister(info.id());
      throw e;
    }
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
    registry.add(sandbox);
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
      SandboxInfo changed = sandbox.change(info -> info.withUpdate(update, Instant.now()));
      registry.update(changed);
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
      sandbox.body().machine().pause();
      SandboxInfo paused = sandbox.change(i -> i.withState(SandboxState.PAUSED, null, null));
      registry.update(paused);
      return paused;
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
    if (body.guest() == null) {
      machines.connect(body, sandbox.identity(), false, Machines.THAW_DEADLINE);
      letOut(sandbox, body);
      watch(sandbox, body);
      trust(sandbox, body);
    }
    SandboxInfo running = sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null));
    registry.update(running);
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
    Incarnation incarnation;
    try (Origin origin = origins.image(sandbox.info(), image)) {
      incarnation = machines.restore(origin.start(), sandbox.identity());
    }
    boolean trusting = false;
    try {
      trust(sandbox, incarnation);
      trusting = true;
    } finally {
      if (!trusting) {
        machines.remove(incarnation);
      }
    }
    SandboxInfo running = sandbox.change(i -> i.withState(SandboxState.RUNNING, null, null));
    registry.move(running, incarnation.machine().id(), null);
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
      return lieDown(sandbox);
    } finally {
      sandbox.moved();
      sandbox.lock.unlock();
    }
  }

  private SandboxInfo lieDown(LiveSandbox sandbox) {
    String image = Ids.image();
    Incarnation body = sandbox.body();
    var _ = freeze(sandbox, () -> body.machine().checkpoint(images.aside(image), true), false);
    SandboxInfo asleep = sandbox.info().withState(SandboxState.HIBERNATED, null, null);
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
    sandbox.sleep(image);
    try {
      machines.remove(body);
    } finally {
      // Whoever reads that it sleeps may count on its memory being free.
      sandbox.change(i -> asleep);
    }
    return asleep;
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
        "create a new one",
        row.reason() == null
            ? Map.of("state", row.state().wire())
            : Map.of("state", row.state().wire(), "reason", row.reason()),
        null);
  }

  // Ending.

  /** Ends a sandbox and removes every trace of it. Does nothing when it has ended already. */
  void end(LiveSandbox sandbox, SandboxState state, String reason) {
    sandbox.lock.lock();
    try {
      if (closed || !registry.has(sandbox)) {
        return;
      }
      registry.move(
          sandbox.change(info -> info.withState(state, reason, Instant.now())), null, null);
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
