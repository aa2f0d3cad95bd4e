package dev.atoll.engine;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.TerminalSize;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that runs in a sandbox: an execution of code, or a process. Safe for use by many
 * threads.
 */
public interface Run {

  /** By which it is found again, {@code run_…}. */
  String id();

  ProcessInfo info();

  /**
   * Follows the run from an offset in its combined output: first Started, then what is still kept
   * from there on, then what happens, and End at last.
   */
  RunEvents events(long from);

  /**
   * The same for the one whom it runs for: it waits for this reader as long as he has not closed,
   * as a program waits for the other end of its pipe.
   */
  RunEvents hold(long from);

  /**
   * The one whom it runs for has gone. It ends, unless it was to go on without him or he comes back
   * in the time that he asked for.
   */
  void abandon();

  /** Passes on what happens, and returns with the end, which is passed on too. */
  default RunEvent.End follow(Consumer<RunEvent> listener) {
    try (RunEvents events = hold(0)) {
      while (true) {
        RunEvent event = events.next(Duration.ofSeconds(30));
        if (event != null) {
          listener.accept(event);
        }
        if (event instanceof RunEvent.End end) {
          return end;
        }
        if (event == null && Thread.currentThread().isInterrupted()) {
          throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while a program ran");
        }
      }
    }
  }

  /**
   * Waits for the end and gives the whole, as much of it as the output limit and the project's
   * memory allow. Whoever keeps it for long, or makes a copy, uses the other form.
   */
  RunResult result();

  /**
   * The same.
   *
   * @param memory pays for it, and for its being written as JSON, until the caller gives that back
   */
  RunResult result(BudgetAccount memory);

  /**
   * The same for somebody who may go away.
   *
   * @param unwanted asked now and then; null is given when it says so
   */
  @Nullable RunResult result(BudgetAccount memory, BooleanSupplier unwanted);

  /** Gives bytes to its standard input or terminal; blocks while it does not take them. */
  void writeStdin(byte[] bytes, int offset, int length);

  /** Ends its standard input. */
  void closeStdin();

  /**
   * Answers what its code asks.
   *
   * @throws AtollException {@link ErrorCode#INPUT_NOT_AWAITED} when it does not wait for that
   */
  void answer(InputAnswer answer);

  void signal(int number, boolean tree);

  void resize(TerminalSize size);

  /**
   * Interrupts an execution, and kills its kernel if that does not help; kills the whole tree of a
   * process.
   */
  void cancel();

  /** Waits for the end; false when it still runs then. */
  boolean await(Duration timeout);
}
