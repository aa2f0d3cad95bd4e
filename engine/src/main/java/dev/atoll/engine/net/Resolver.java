package dev.atoll.engine.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks up names with the host's resolver, for all sandboxes.
 *
 * <p>The lookups run on some threads of the operating system, not on virtual ones: the system's
 * resolver blocks the thread that calls it, and two slow name servers could otherwise hold up the
 * whole server.
 */
public final class Resolver implements AutoCloseable {
  private static final int THREADS = 64;
  private static final int WAITING = 512;
  private static final int CACHED = 2048;

  /** As long as the JVM itself would keep an answer. */
  private static final long FOUND_NANOS =
      Duration.ofSeconds(Integer.getInteger("sun.net.inetaddr.ttl", 30)).toNanos();

  private static final long MISSING_NANOS = Duration.ofSeconds(5).toNanos();

  private final Lookup lookup;
  private final ThreadPoolExecutor threads;
  private final Map<String, Cached> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Cached> eldest) {
          return size() > CACHED;
        }
      };

  /** Where names are really looked up. */
  public interface Lookup {
    List<InetAddress> lookup(String name) throws UnknownHostException;
  }

  /** An answer that is there or on its way. Guarded by the cache. */
  private static final class Cached {
    final CompletableFuture<Answer> answer = new CompletableFuture<>();
    long until;

    boolean isFresh() {
      return answer.isDone() && System.nanoTime() - until < 0;
    }
  }

  /** What came of a lookup. */
  public sealed interface Answer {
    record Found(List<InetAddress> addresses) implements Answer {}

    record Missing() implements Answer {}

    record Failed(String why) implements Answer {}
  }

  /** The host's own resolver. */
  public Resolver() {
    this(name -> List.of(InetAddress.getAllByName(name)));
  }

  public Resolver(Lookup lookup) {
    this.lookup = lookup;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofPlatform().name("atoll-resolver-", 0).daemon(true).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /** Whether the answer is known already, so that asking for it costs nobody anything. */
  boolean knows(String name) {
    synchronized (cache) {
      Cached cached = cache.get(name);
      return cached != null && cached.isFresh();
    }
  }

  Answer resolve(String name, Duration deadline) {
    return resolve(name, deadline, new Semaphore(1));
  }

  /**
   * Looks up a name, or waits for whoever does so already.
   *
   * @param permits how many lookups the one who asks may have under way; a permit comes back when
   *     its lookup has really ended, which may be long after the deadline
   */
  Answer resolve(String name, Duration deadline, Semaphore permits) {
    try {
      long end = System.nanoTime() + deadline.toNanos();
      Runnable release = () -> {};
      if (!isUnderWay(name)) {
        if (!permits.tryAcquire(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
          return new Answer.Failed("too many names are being looked up at once");
        }
        release = permits::release;
      }
      return ask(name, release).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return new Answer.Failed("the server looks up too many names");
    } catch (TimeoutException e) {
      return new Answer.Failed("the name was not looked up within " + deadline.toMillis() + " ms");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer.Failed("interrupted");
    } catch (ExecutionException e) {
      return new Answer.Failed(String.valueOf(e.getCause()));
    }
  }

  private boolean isUnderWay(String name) {
    synchronized (cache) {
      Cached cached = cache.get(name);
      return cached != null && (!cached.answer.isDone() || cached.isFresh());
    }
  }

  private CompletableFuture<Answer> ask(String name, Runnable release) {
    boolean started = false;
    try {
      synchronized (cache) {
        Cached known = cache.get(name);
        if (known != null && (!known.answer.isDone() || known.isFresh())) {
          return known.answer;
        }
        Cached fresh = new Cached();
        threads.execute(() -> run(name, fresh, release));
        started = true;
        cache.put(name, fresh);
        return fresh.answer;
      }
    } finally {
      if (!started) {
        release.run();
      }
    }
  }

  private void run(String name, Cached cached, Runnable release) {
    Answer answer = look(name);
    release.run();
    synchronized (cache) {
      cached.until =
          System.nanoTime() + (answer instanceof Answer.Found ? FOUND_NANOS : MISSING_NANOS);
      cached.answer.complete(answer);
    }
  }

  private Answer look(String name) {
    try {
      List<InetAddress> found = lookup.lookup(name);
      return found.isEmpty() ? new Answer.Missing() : new Answer.Found(List.copyOf(found));
    } catch (UnknownHostException e) {
      return String.valueOf(e.getMessage()).contains("Temporary failure")
          ? new Answer.Failed("the server's name servers do not answer")
          : new Answer.Missing();
    } catch (RuntimeException e) {
      return new Answer.Failed(e.toString());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
