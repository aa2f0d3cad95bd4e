package dev.atoll.server.http;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets each project read one large body at a time, since that takes a processor for a while and
 * much memory. A few more wait for their turn; those beyond are refused.
 */
final class LargeBodies {
  /** Bodies up to this are read at once. */
  private static final long LARGE = 512 << 10;

  private static final int WAITING = 4;
  private static final long PATIENCE_SECONDS = 20;

  private final Map<String, Semaphore> projects = new ConcurrentHashMap<>();

  /** What one request does with its body; closing it lets the next one begin. */
  static final class Turn implements AutoCloseable {
    private final Semaphore project;
    private boolean taken;

    private Turn(Semaphore project) {
      this.project = project;
    }

    /**
     * The body has so many bytes, or at least so many so far.
     *
     * @throws AtollException {@link dev.atoll.model.ErrorCode#OVERLOADED} when too many wait
     */
    void reached(long bytes) {
      if (taken || bytes <= LARGE) {
        return;
      }
      try {
        if (project.getQueueLength() >= WAITING
            || !project.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw BudgetAccount.full("another large body");
        }
        taken = true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw Shutdown.stopping();
      }
    }

    @Override
    public void close() {
      if (taken) {
        taken = false;
        project.release();
      }
    }
  }

  Turn of(String project) {
    return new Turn(projects.computeIfAbsent(project, _ -> new Semaphore(1, true)));
  }
}
