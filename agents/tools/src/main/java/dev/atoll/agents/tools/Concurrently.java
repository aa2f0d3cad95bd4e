package dev.atoll.agents.tools;

import dev.atoll.sdk.CallInterruptedException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several calls at the same time, each on a virtual thread; none outlives the caller's wait. */
public final class Concurrently {
  private Concurrently() {}

  /**
   * The results, in order of the calls. The first failure is thrown once the others have been
   * interrupted and have ended; likewise when the calling thread is interrupted.
   */
  public static <T> List<T> all(List<Callable<T>> calls) {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try {
      List<Future<T>> futures = calls.stream().map(threads::submit).toList();
      return futures.stream().map(Concurrently::result).toList();
    } finally {
      threads.shutdownNow();
      // Waits also when interrupted; what it waits for was interrupted just now.
      threads.close();
    }
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
