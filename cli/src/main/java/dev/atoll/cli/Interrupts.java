package dev.atoll.cli;

import dev.atoll.sdk.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * What Ctrl-C does: first to what runs in the guest, one step after the other, then to this
 * program. SIGTERM and SIGHUP do the same at once: this program ends, and what runs in the guest
 * for it ends before.
 *
 * <p>A shutdown hook would not do: once it runs, the JVM hears no second Ctrl-C.
 */
final class Interrupts {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final int HANG_UP = 1;
  private static final int TERMINATE = 15;

  private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> lastSteps = new ConcurrentLinkedQueue<>();
  private final AtomicInteger terminated = new AtomicInteger();
  private final AtomicInteger exits = new AtomicInteger();
  private final Duration grace;
  private final IntConsumer exit;
  private final IntConsumer halt;

  Interrupts(IntConsumer exit, IntConsumer halt) {
    this(exit, halt, GRACE);
  }

  /**
   * @param grace for a step of an end to have its effect
   */
  Interrupts(IntConsumer exit, IntConsumer halt, Duration grace) {
    this.grace = grace;
    this.exit = exit;
    this.halt = halt;
  }

  /** Listens to the signals of this process. */
  static Interrupts ofProcess() {
    Interrupts interrupts = new Interrupts(System::exit, Runtime.getRuntime()::halt);
    Signals.handle("INT", interrupts::interrupt);
    Signals.handle("TERM", () -> interrupts.terminate(TERMINATE));
    Signals.handle("HUP", () -> interrupts.terminate(HANG_UP));
    return interrupts;
  }

  /** While the result is open, each Ctrl-C takes one of these steps instead of ending this. */
  Guard guard(Runnable... inOrder) {
    steps.addAll(List.of(inOrder));
    lastSteps.addAll(List.of(inOrder));
    return () -> {
      steps.clear();
      lastSteps.clear();
    };
  }

  /** Says what SIGTERM and SIGHUP do instead, all of it, until the guard is closed. */
  void atTheEnd(Runnable... inOrder) {
    lastSteps.clear();
    lastSteps.addAll(List.of(inOrder));
  }

  /**
   * A SIGTERM or SIGHUP. What runs in the guest is ended, by the next step if the one before did
   * not help in time, and then this program; usually it has come to its end by itself before.
   */
  void terminate(int signal) {
    if (!terminated.compareAndSet(0, signal)) {
      halt.accept(ExitCode.SIGNAL + signal);
      return;
    }
    for (Runnable step = lastSteps.poll(); step != null; step = lastSteps.poll()) {
      attempt(step);
      pause();
    }
    exit.accept(ExitCode.SIGNAL + signal);
  }

  /** Whether this program was told to end. */
  boolean isTerminated() {
    return terminated.get() != 0;
  }

  /** The exit code of a program that has come to its end, perhaps because it was told to. */
  int status(int own) {
    return isTerminated() ? ExitCode.SIGNAL + terminated.get() : own;
  }

  private void pause() {
    try {
      Thread.sleep(grace);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the next Ctrl-C goes to the guest. */
  boolean guarded() {
    return !steps.isEmpty();
  }

  /** A Ctrl-C. */
  void interrupt() {
    Runnable step = steps.poll();
    if (step != null) {
      attempt(step);
    } else if (exits.getAndIncrement() == 0) {
      exit.accept(ExitCode.INTERRUPTED);
    } else {
      // The hooks that tidy up are slow; the person has asked again.
      halt.accept(ExitCode.INTERRUPTED);
    }
  }

  private static void attempt(Runnable step) {
    try {
      step.run();
    } catch (ApiException e) {
      // It has just ended, or the server is out of reach; the next Ctrl-C goes further.
    }
  }

  /** Takes the steps away again. */
  interface Guard extends AutoCloseable {
    @Override
    void close();
  }
}
