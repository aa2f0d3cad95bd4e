package dev.atoll.engine.run;

import dev.atoll.engine.Run;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A caller's place in the queue of a context, until his run begins. Any thread may cancel it, which
 * ends the wait and nothing else: the thread is interrupted while it is parked here, never where an
 * interrupt would close what it writes to.
 */
public final class Ticket {
  private static final Duration LONGEST = Duration.ofHours(1);

  private final CompletableFuture<Run> begun = new CompletableFuture<>();
  private @Nullable Thread parked;
  private boolean cancelled;

  /** Gives the place up; false when nobody waits any more. */
  public synchronized boolean cancel() {
    if (begun.isDone()) {
      return false;
    }
    cancelled = true;
    if (parked != null) {
      parked.interrupt();
    }
    return true;
  }

  /** Waits for a turn; false when none came in time. */
  boolean await(Semaphore turn, Duration patience) {
    boolean acquired = false;
    try {
      park();
      acquired = turn.tryAcquire() || turn.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      if (!isCancelled()) {
        Thread.currentThread().interrupt();
        throw new AtollException(
            ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a context");
      }
    }
    if (unpark()) {
      if (acquired) {
        turn.release();
      }
      throw new AtollException(
          ErrorCode.CONFLICT,
          "the run was cancelled before it began",
          "nothing of it was executed");
    }
    return acquired;
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  private synchronized void park() throws InterruptedException {
    parked = Thread.currentThread();
    if (cancelled) {
      throw new InterruptedException("cancelled");
    }
  }

  /** From here on no interrupt comes, and one that came too late is gone. */
  private synchronized boolean unpark() {
    parked = null;
    if (cancelled) {
      boolean _ = Thread.interrupted();
    }
    return cancelled;
  }

  void began(Run run) {
    begun.complete(run);
  }

  void failed(RuntimeException why) {
    begun.completeExceptionally(why);
  }

  /** The run of whoever asked for the same before. */
  Run awaitOther() {
    try {
      return begun.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new AtollException(ErrorCode.TIMEOUT, "the run has not begun");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a run");
    }
  }
}
