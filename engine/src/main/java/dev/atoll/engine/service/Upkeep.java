package dev.atoll.engine.service;

import dev.atoll.engine.Ids;
import dev.atoll.engine.Run;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstanceState;
import dev.atoll.model.RunEvent;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.ServiceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes, wakes, watches, mends, puts to sleep and ends the instances of one service. Each of these
 * has a virtual thread of its own; while nothing happens there is one per instance that is awake,
 * which waits for output.
 */
final class Upkeep {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
  private static final Duration DRAIN = Duration.ofSeconds(60);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration STEADY = Duration.ofSeconds(60);
  private static final int MOST_RESTARTS = 5;
  private static final int MOST_UNHEALTHY = 3;
  private static final int LAST_WORDS = 20;

  private final LiveService service;
  private final Parts parts;

  Upkeep(LiveService service, Parts parts) {
    this.service = service;
    this.parts = parts;
  }

  /** A name that no other sandbox or snapshot has. */
  String newName(String name, int revision) {
    String random = Ids.service();
    return "%s-r%d-%s".formatted(name, revision, random.substring(random.length() - 6));
  }

  Program program(Instance instance) {
    return new Program(parts.sandboxes(), parts.probe(), service.project(), instance.id());
  }

  private void start(String what, Instance instance, Runnable task) {
    Thread.ofVirtual().name(what + "-" + instance.name).start(task);
  }

  void later(Duration delay, Runnable task) {
    parts.deadlines().after(delay, "service-" + service.name(), task);
  }

  // Bringing up.

  /** Makes or wakes an instance, in its own time. */
  void bring(Instance instance) {
    start(
        "bring",
        instance,
        () -> {
          try {
            (instance.sandbox == null ? parts.tally().made() : parts.tally().woken()).increment();
            service.ready(instance, awaken(instance, service.spec(), service.snapshot()));
            catchUp(instance);
          } catch (RuntimeException e) {
            giveUp(instance, e);
          }
        });
  }

  /**
   * Makes the sandbox of an instance from a snapshot, or wakes it, and returns when its program
   * works.
   */
  Run awaken(Instance instance, ServiceSpec spec, @Nullable String snapshot) {
    if (instance.sandbox == null && snapshot == null) {
      throw new AtollException(
          ErrorCode.SERVICE_UNAVAILABLE, "the snapshot of its revision is gone: deploy it again");
    }
    if (instance.sandbox == null) {
      make(instance, spec.sandbox(instance.name, null, labels(instance.revision), snapshot));
    } else {
      SandboxInfo _ = parts.sandboxes().wake(service.project(), instance.id());
    }
    Program program = program(instance);
    Run found = program.find();
    Run run = found == null ? program.start(spec) : found;
    follow(instance, run, line -> {});
    program.awaitHealthy(run, spec);
    return run;
  }

  Map<String, String> labels(int revision) {
    return Map.of("service", service.name(), "revision", Integer.toString(revision));
  }

  /** Makes the sandbox of an instance. Its name is on record before, so that none is forgotten. */
  void make(Instance instance, SandboxSpec spec) {
    parts.rows().insertInstance(service.id(), instance.name, instance.revision);
    SandboxInfo made = parts.sandboxes().create(service.project(), spec, null);
    instance.sandbox = made.id();
    parts.owned().put(made.id(), service.name());
    parts.rows().instanceMade(instance.name, made.id());
  }

  /** What may have happened to an instance while it was being brought up or put to sleep. */
  private void catchUp(Instance instance) {
    Run run = instance.run;
    if (service.closed()) {
      return;
    }
    if (instance.state == InstanceState.DRAINING || service.deleted()) {
      end(instance);
    } else if (run != null && run.await(Duration.ZERO)) {
      mend(instance, "the program has ended");
    }
  }

  private void giveUp(Instance instance, RuntimeException e) {
    if (service.closed()) {
      return;
    }
    LOG.warn("{} of service {} is given up: {}", instance.name, service.name(), e.getMessage());
    Run run = instance.run;
    if (run != null && run.await(Duration.ZERO)) {
      // Its last words are on their way to the log.
      awaitWords(instance);
    }
    String sandbox = instance.sandbox;
    List<String> words = sandbox == null ? List.of() : service.log().tail(sandbox, LAST_WORDS);
    service.failed(instance, String.valueOf(e.getMessage()), words);
    end(instance);
  }

  /** Gives what a program said last a moment to reach the log. */
  static void awaitWords(Instance instance) {
    Thread pump = instance.pump;
    try {
      if (pump != null) {
        pump.join(Duration.ofSeconds(2));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Watching.

  /** Brings what the program writes into the log, and notices its end. */
  void follow(Instance instance, Run run, Consumer<String> listener) {
    LogPump pump = new LogPump(service.log(), instance.id(), instance.revision, run, listener);
    instance.run = run;
    instance.pump =
        Thread.ofVirtual()
            .name("log-" + instance.name)
            .start(
                () -> {
                  RunEvent.End end = pump.pump(service::over);
                  if (end != null && run.equals(instance.run)) {
                    mend(instance, "the program ended with exit code " + end.exitCode());
                  }
                });
  }

  /** Looks from now on whether the instance works, and whether it is needed. */
  void look(Instance instance, ServiceSpec spec) {
    stopLooking(instance);
    Duration interval = Duration.ofMillis(Math.round(spec.check().interval() * 1000));
    instance.checks =
        parts.deadlines().every(interval, "health-" + instance.name, () -> check(instance));
    Duration idle = Duration.ofMillis(Math.round(spec.scale().idleSeconds() * 1000));
    instance.idleness =
        parts.deadlines().after(idle, "idle-" + instance.name, () -> rest(instance));
  }

  private static void stopLooking(Instance instance) {
    for (Deadlines.Alarm alarm :
        new Deadlines.@Nullable Alarm[] {instance.checks, instance.idleness}) {
      if (alarm != null) {
        alarm.cancel();
      }
    }
  }

  private void check(Instance instance) {
    service.lock.lock();
    try {
      if (instance.state != InstanceState.READY || instance.settling || instance.probing) {
        return;
      }
      instance.probing = true;
    } finally {
      service.lock.unlock();
    }
    String problem = "";
    try {
      problem = program(instance).problem(service.spec());
    } finally {
      instance.probing = false;
    }
    instance.unhealthy = problem == null ? 0 : instance.unhealthy + 1;
    if (instance.unhealthy >= MOST_UNHEALTHY) {
      mend(instance, "the program is not healthy: " + problem);
    }
  }

  // Mending.

  /** Sees what is wrong with an instance and starts its program again if need be. */
  void mend(Instance instance, String why) {
    if (!service.suspect(instance)) {
      return;
    }
    stopLooking(instance);
    start(
        "mend",
        instance,
        () -> {
          try {
            service.ready(instance, mended(instance, why));
            catchUp(instance);
          } catch (RuntimeException e) {
            giveUp(instance, e);
          }
        });
  }

  private Run mended(Instance instance, String why) {
    Program program = program(instance);
    ServiceSpec spec = service.spec();
    Run found = program.find();
    if (found != null) {
      if (program.problem(spec) == null) {
        if (!found.equals(instance.run)) {
          follow(instance, found, line -> {});
        }
        return found;
      }
      program.stop(found);
    }
    Run ended = instance.run;
    if (ended != null && !ended.equals(found)) {
      awaitWords(instance);
      program.forget(ended);
    }
    String reason = why;
    while (true) {
      countRestart(instance, reason);
      note(instance, reason + "; it is started again");
      Run run = program.start(spec);
      follow(instance, run, line -> {});
      try {
        program.awaitHealthy(run, spec);
        return run;
      } catch (AtollException e) {
        reason = String.valueOf(e.getMessage());
        program.stop(run);
      }
    }
  }

  /** Waits a little longer each time, and not for ever. */
  private void countRestart(Instance instance, String reason) {
    long now = System.nanoTime();
    instance.streak = now - instance.restartedAt > STEADY.toNanos() ? 1 : instance.streak + 1;
    if (instance.streak > MOST_RESTARTS || service.over()) {
      throw new AtollException(
          ErrorCode.SERVICE_UNAVAILABLE,
          "%s, and was started %d times in a row".formatted(reason, MOST_RESTARTS));
    }
    instance.restarts++;
    parts.tally().restarts().increment();
    if (instance.streak > 1) {
      try {
        Thread.sleep(FIRST_PAUSE.multipliedBy(1L << instance.streak));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    instance.restartedAt = System.nanoTime();
  }

  private void note(Instance instance, String text) {
    ServiceLogLine line =
        new ServiceLogLine(Instant.now(), instance.id(), instance.revision, "atoll", text);
    service.log().add(List.of(new ServiceLog.Entry(line, "", 0)));
  }

  // Going.

  private void rest(Instance instance) {
    Duration wait = service.rest(instance);
    if (wait == null) {
      return;
    }
    if (!wait.isZero()) {
      instance.idleness =
          parts
              .deadlines()
              .after(wait.plusMillis(5), "idle-" + instance.name, () -> rest(instance));
      return;
    }
    stopLooking(instance);
    boolean asleep = false;
    try {
      SandboxInfo _ = parts.sandboxes().hibernate(service.project(), instance.id());
      asleep = true;
    } catch (RuntimeException e) {
      LOG.warn("{} could not be hibernated: {}", instance.name, e.getMessage());
    }
    service.rested(instance, asleep);
    if (!asleep) {
      mend(instance, "the sandbox could not be hibernated");
    }
    catchUp(instance);
  }

  /** Ends an instance once its requests are answered, or after a while. */
  void drain(Instance instance) {
    stopLooking(instance);
    start(
        "drain",
        instance,
        () -> {
          service.awaitDrained(instance, DRAIN);
          if (!service.closed()) {
            end(instance);
          }
        });
  }

  /** Asks the program of an instance to end, ends the instance, and forgets it. */
  void end(Instance instance) {
    stopLooking(instance);
    String sandbox = instance.sandbox;
    Run run = instance.run;
    if (run != null) {
      Program.dismiss(run);
      awaitWords(instance);
    }
    try {
      if (sandbox != null) {
        parts.sandboxes().end(service.project(), sandbox);
        parts.owned().remove(sandbox);
        service.log().forget(sandbox);
      }
    } catch (AtollException e) {
      LOG.debug("{} has ended before: {}", instance.name, e.getMessage());
    }
    parts.rows().deleteInstance(instance.name);
    service.gone(instance);
  }

  /** Ends the sandbox of an instance that somebody is busy with, who forgets it then. */
  void endSoon(Instance instance) {
    String sandbox = instance.sandbox;
    if (sandbox != null) {
      start("end", instance, () -> parts.sandboxes().end(service.project(), sandbox));
    }
  }

  /** Stops watching an instance, which goes on. */
  void letGo(Instance instance) {
    stopLooking(instance);
    Thread pump = instance.pump;
    if (pump != null) {
      pump.interrupt();
      awaitWords(instance);
    }
  }
}
