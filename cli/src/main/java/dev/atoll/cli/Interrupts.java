package dev.atoll.cli;

import dev.atoll.sdk.ApiException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * What Ctrl-C does: first to what runs in the guest, one step after the other, then to this
 * program.
 *
 * <p>A shutdown hook would not do: once it runs, the JVM hears no second Ctrl-C.
 */
final class Interrupts {
  private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
  private final AtomicInteger exits = new AtomicInteger();
  private final IntConsumer exit;
  private final IntConsumer halt;

  Interrupts(IntConsumer exit, IntConsumer halt) {
    this.exit = exit;
    this.halt = halt;
  }

  /** Listens to the signals of this process. */
  static Interrupts ofProcess() {
    Interrupts interrupts = new Interrupts(System::exit, Runtime.getRuntime()::halt);
    Signals.handle("INT", interrupts::interrupt);
    return interrupts;
  }

  /** While the result is open, each Ctrl-C takes one of these steps instead of ending this. */
  Guard guard(Runnable... inOrder) {
    steps.addAll(List.of(inOrder));
    return steps::clear;
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
