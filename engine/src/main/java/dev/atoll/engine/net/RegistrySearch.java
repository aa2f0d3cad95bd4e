package dev.atoll.engine.net;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One search for registries: what it has found so far, and the same again when it grows old. */
final class RegistrySearch implements RegistrySource {
  private static final Logger LOG = LoggerFactory.getLogger(RegistrySearch.class);

  private final Registries given;
  private final long freshNanos;
  private final Consumer<Growing> search;
  private volatile Registries known;
  private CompletableFuture<@Nullable Void> running;
  private long endedAt;

  RegistrySearch(Registries given, Duration fresh, Consumer<Growing> search) {
    this.given = given;
    this.known = given;
    this.freshNanos = fresh.toNanos();
    this.search = search;
    this.running = begin();
  }

  /** Takes what is found while the search goes on. */
  final class Growing {
    private Registries found = given;

    void add(Collection<Registry> more) {
      found = found.plus(more);
      known = known.plus(more);
    }

    Registries now() {
      return found;
    }
  }

  private CompletableFuture<@Nullable Void> begin() {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    Thread.ofVirtual().name("registries").start(() -> run(done));
    return done;
  }

  private void run(CompletableFuture<@Nullable Void> done) {
    Growing growing = new Growing();
    try {
      search.accept(growing);
      known = growing.now();
    } catch (RuntimeException e) {
      LOG.warn("the search for package registries failed: {}", e.toString());
    } finally {
      synchronized (this) {
        endedAt = System.nanoTime();
      }
      done.complete(null);
    }
  }

  @Override
  public Registries current() {
    refresh();
    return known;
  }

  private synchronized void refresh() {
    if (running.isDone() && System.nanoTime() - endedAt > freshNanos) {
      running = begin();
    }
  }

  @Override
  public Registries settled(Duration patience) {
    CompletableFuture<@Nullable Void> search;
    synchronized (this) {
      search = running;
    }
    try {
      search.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What is known by now has to do.
    }
    return known;
  }
}
