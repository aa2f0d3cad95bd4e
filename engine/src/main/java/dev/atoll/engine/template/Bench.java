package dev.atoll.engine.template;

import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.protocol.wire.Hello;
import dev.atoll.protocol.wire.Limits;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A machine in which a template is being made. */
final class Bench implements AutoCloseable {
  private static final Duration BOOT_DEADLINE = Duration.ofMinutes(3);
  private static final Duration PRELOAD_DEADLINE = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final int OLDEST_GENERATION = 1;
  private static final int NEWEST_GENERATION = 3;
  private static final long MOST_OUTPUT = 64L << 20;

  /** No code runs here; only commands do. */
  private static final String LANGUAGE = "";

  private final Workshop workshop;
  private final Machine machine;
  private final Path directory;
  private final MachineLimits limits;
  private final BuildScope scope;
  private final BuildScope.Stage stage;
  private final AtomicReference<String> loss = new AtomicReference<>("");
  private final Guest guest;
  private @Nullable Egress egress;
  private @Nullable Runs runs;

  Bench(
      Workshop workshop, Machine machine, Path directory, MachineLimits limits, BuildScope scope) {
    this.workshop = workshop;
    this.machine = machine;
    this.directory = directory;
    this.limits = limits;
    this.scope = scope;
    this.guest = new Guest(machine.stream(), end -> loss.set(end.reason()));
    BuildScope.Stage opened;
    try {
      // Ends the machine under whatever waits for it.
      opened = scope.stage(machine::close);
    } catch (RuntimeException e) {
      machine.close();
      delete(directory);
      throw e;
    }
    this.stage = opened;
  }

  /** Waits for the agent, and for all that its template starts. */
  void hello(Recipe recipe) {
    guest.start(machine.id());
    // Large libraries take their time on a slow machine.
    Hello hello = guest.hello(recipe.preload().isEmpty() ? BOOT_DEADLINE : PRELOAD_DEADLINE);
    if (hello.getGeneration() < OLDEST_GENERATION || hello.getGeneration() > NEWEST_GENERATION) {
      throw new AtollException(
          ErrorCode.TEMPLATE_BUILD_FAILED, "agent of generation " + hello.getGeneration());
    }
  }

  /** Lets commands run, with variables of the recipe's. */
  void begin(Map<String, String> recipeVariables) {
    Map<String, String> env = new HashMap<>(workshop.variables());
    env.putAll(recipeVariables);
    Limits own =
        Limits.newBuilder()
            .setMemoryBytes(limits.memoryBytes())
            .setDiskBytes(limits.diskBytes())
            .setProcesses(limits.processes())
            .build();
    guest.thaw(Guest.thaw(false, "template", env, own), BOOT_DEADLINE);
    runs = new Runs(guest, workshop.deadlines(), workshop.runs(), LANGUAGE);
  }

  /** Lets the guest reach what the recipe's policy allows. */
  void letOut(Recipe recipe, Path rootfs) {
    Egress way = workshop.ways().open(machine.id(), scope.project(), recipe.network(), rootfs);
    egress = way;
    guest.egress(way);
  }

  Guest guest() {
    return guest;
  }

  /** Runs a command to its end and shows what it prints; says how it ended. */
  RunEvent.End run(String script, @Nullable String user, Duration limit, LineSplitter lines) {
    Runs started = runs;
    if (started == null) {
      throw new IllegalStateException("not begun");
    }
    Run run =
        started.start(
            new CommandRequest(
                List.of("/bin/sh", "-e", "-c", script),
                null,
                user == null ? null : "/",
                user == null ? null : Map.of("HOME", "/root", "DEBIAN_FRONTEND", "noninteractive"),
                user,
                null,
                null,
                null,
                Math.max(1, limit.toMillis() / 1000.0),
                MOST_OUTPUT,
                null),
            false);
    try (RunEvents events = run.events(0)) {
      while (!events.ended()) {
        RunEvent event = events.next(POLL);
        scope.check();
        switch (event) {
          case RunEvent.Output output -> lines.add(output);
          case RunEvent.End end -> {
            lines.end();
            return end;
          }
          case null, default -> {}
        }
      }
    }
    throw new AtollException(ErrorCode.TEMPLATE_BUILD_FAILED, "the machine has ended: " + loss);
  }

  /** Tries a command as the template's user until it succeeds. */
  void await(Ready ready) {
    long deadline = System.nanoTime() + (long) (ready.limitSeconds() * 1e9);
    while (true) {
      Tail tail = new Tail();
      Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
      RunEvent.End end = run(ready.command(), null, left, new LineSplitter(tail::add));
      if (end.status() == RunStatus.OK && end.exitCode() == 0) {
        return;
      }
      if (System.nanoTime() + POLL.toNanos() > deadline) {
        throw new AtollException(
            ErrorCode.TEMPLATE_BUILD_FAILED,
            "the template was not ready after %s s: %s%s"
                .formatted(ready.limitSeconds(), ready.command(), tail.text()),
            "see what the commands in start: do, or give ready: a longer timeoutSeconds");
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
    }
  }

  /** Writes memory and files; the machine ends with it. */
  void checkpoint(Path target) {
    guest.quiesce(BOOT_DEADLINE);
    machine.checkpoint(target, false);
  }

  @Override
  public void close() {
    stage.close();
    Runs started = runs;
    if (started != null) {
      started.close();
    }
    Egress way = egress;
    if (way != null) {
      way.close();
    }
    machine.close();
    delete(directory);
  }

  /** Gives a complete folder its name, unless another build was quicker with the same. */
  static void install(Path made, Path target) throws IOException {
    try {
      Files.move(made, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.isDirectory(target)) {
        throw e;
      }
    }
  }

  /**
   * Removes a tree by a program of the host, which is far faster than the JDK at this; never
   * follows symbolic links.
   */
  static void delete(Path tree) {
    HostCommand.run(List.of("rm", "-rf", "--one-file-system", "--", tree.toString()), line -> {});
  }
}
