package dev.atoll.agents;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The ways in which work ends before it is done: its time is up, or someone cancels. Work is done
 * on threads of its own, so that also what does not listen to interrupts cannot hold up the end.
 */
final class Stop {
  /** How long work that was interrupted may take to end; a sandbox wants to cancel its run. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final CompletableFuture<Void> cancelled;
  private final long deadline;

  Stop(CompletableFuture<Void> cancelled, Duration time) {
    this.cancelled = cancelled;
    this.deadline = System.nanoTime() + time.toNanos();
  }

  /** Work was stopped. */
  static final class Stopped extends Exception {
    private final transient End end;

    Stopped(End end) {
      this.end = end;
    }

    End end() {
      return end;
    }
  }

  boolean isCancelled() {
    return cancelled.isDone();
  }

  /** Does work; what it throws is thrown on, unchecked. */
  <T> T call(Callable<T> work) throws Stopped {
    FutureTask<T> task = new FutureTask<>(work);
    CompletableFuture<Void> finished = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .name("atoll-agent")
            .start(
                () -> {
                  task.run();
                  finished.complete(null);
                });
    await(finished, thread);
    return result(task);
  }

  /** Waits, if nothing stops that. */
  void pause(Duration time) throws Stopped {
    Boolean unused =
        call(
            () -> {
              Thread.sleep(time);
              return true;
            });
  }

  private void await(CompletableFuture<Void> finished, Thread thread) throws Stopped {
    try {
      Object unused =
          CompletableFuture.anyOf(finished, cancelled)
              .get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      end(finished, thread);
      throw new Stopped(End.TIME_LIMIT);
    } catch (InterruptedException e) {
      end(finished, thread);
      Thread.currentThread().interrupt();
      throw new Stopped(End.CANCELLED);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    if (!finished.isDone()) {
      end(finished, thread);
      throw new Stopped(End.CANCELLED);
    }
  }

  private static void end(CompletableFuture<Void> finished, Thread thread) {
    thread.interrupt();
    // An interrupt of this thread was noticed before; this wait is short and should be whole.
    finished.completeOnTimeout(null, GRACE.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  private static <T> T result(FutureTask<T> task) {
    try {
      return task.get();
    } catch (InterruptedException e) {
      throw new IllegalStateException("it has ended before", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
