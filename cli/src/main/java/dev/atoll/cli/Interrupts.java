package dev.atoll.cli;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What Ctrl-C does: the first one ends what runs in the guest, the second one this program.
 *
 * <p>A shutdown hook would not do: once it runs, the JVM hears no second Ctrl-C.
 */
final class Interrupts {
  private final AtomicReference<@Nullable Runnable> first = new AtomicReference<>();
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

  /** While the result is open, the first Ctrl-C does this instead of ending the program. */
  Guard guard(Runnable action) {
    first.set(action);
    return () -> first.set(null);
  }

  /** A Ctrl-C. */
  void interrupt() {
    Runnable action = first.getAndSet(null);
    if (action != null) {
      action.run();
    } else if (exits.getAndIncrement() == 0) {
      exit.accept(ExitCode.INTERRUPTED);
    } else {
      // The hooks that tidy up are slow; the person has asked three times.
      halt.accept(ExitCode.INTERRUPTED);
    }
  }

  /** Takes the action away again. */
  interface Guard extends AutoCloseable {
    @Override
    void close();
  }
}
