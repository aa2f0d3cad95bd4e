package dev.atoll.engine;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.SandboxInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A machine that runs and waits for a sandbox.
 *
 * @param identity what its guest was told about itself
 * @param blank the sandbox as it would be if nothing more were asked for
 */
record WarmMachine(
    Incarnation incarnation,
    Identity identity,
    Map<String, String> templateEnv,
    Instant readySince,
    SandboxInfo blank) {
  private static final Duration PREPARE_DEADLINE = Duration.ofSeconds(10);

  /** The id that the sandbox will have. */
  String id() {
    return blank.id();
  }

  /** The digest of the template that it was made from. */
  String digest() {
    return blank.templateDigest();
  }

  /** Stops it until somebody comes: even an idle guest takes some CPU time for itself. */
  WarmMachine rest() {
    Runs runs = incarnation.runs();
    if (runs != null) {
      runs.prepare(PREPARE_DEADLINE);
    }
    incarnation.machine().pause();
    return this;
  }

  WarmMachine rouse() {
    incarnation.machine().resume();
    return this;
  }

  /** Tells the guest who it is, unless it knows already. */
  void become(Identity wanted) {
    Guest guest = incarnation.guest();
    if (guest != null && !wanted.equals(identity)) {
      guest.thaw(wanted.restored(), Machines.THAW_DEADLINE);
    }
  }
}
