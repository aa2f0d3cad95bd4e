package dev.atoll.engine.diff;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/** The same thing of both sides. */
record Both<T>(T from, T to) {
  private static final Executor THREADS = task -> Thread.ofVirtual().name("comparison").start(task);

  /** Asks both sides at once; every question has a deadline of its own. */
  static <T> Both<T> of(Supplier<T> from, Supplier<T> to) {
    CompletableFuture<T> second = CompletableFuture.supplyAsync(to, THREADS);
    T first = from.get();
    try {
      return new Both<>(first, second.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(
          ErrorCode.INTERNAL, "a comparison failed", null, java.util.Map.of(), e.getCause());
    }
  }

  <R> Both<R> map(Function<T, R> function) {
    return of(() -> function.apply(from), () -> function.apply(to));
  }
}
