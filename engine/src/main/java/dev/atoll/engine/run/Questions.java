package dev.atoll.engine.run;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the code of one run asks: one question at a time, which stands in the log until it is
 * answered or over. Thread-safe.
 */
final class Questions {
  /** What a question and an answer on its way take. */
  static final int COST = 80 << 10;

  /** A guest that was just restored asks again in a moment. */
  private static final Duration MOMENT = Duration.ofSeconds(5);

  private final RunLog log;
  private final boolean adopted;
  private @Nullable KernelQuestion pending;
  private @Nullable LogItem shown;

  private boolean asked;
  private boolean ended;

  /**
   * @param adopted whether the code was running before this server, or this machine, was there
   */
  Questions(RunLog log, boolean adopted) {
    this.log = log;
    this.adopted = adopted;
  }

  /** The kernel asks, or does not wait any more. */
  synchronized void say(KernelQuestion question) {
    KernelQuestion before = pending;
    if (question.over()) {
      if (before != null && before.number() == question.number()) {
        clear();
      }
      return;
    }
    if (ended || question.equals(before)) {
      return;
    }
    clear();
    asked = true;
    shown = log.revocable(question.event());
    pending = shown == null ? null : question;
    notifyAll();
  }

  /** The run is over, and with it what it asked. */
  synchronized void end() {
    ended = true;
    clear();
    notifyAll();
  }

  private void clear() {
    LogItem item = shown;
    shown = null;
    pending = null;
    if (item != null) {
      log.revoke(item);
    }
  }

  /**
   * The question of that id, which from now on nobody else can answer; null when it is not waited
   * for.
   */
  synchronized @Nullable KernelQuestion take(String id) {
    awaitFirst();
    KernelQuestion question = pending;
    if (question == null || !question.id().equals(id)) {
      return null;
    }
    clear();
    return question;
  }

  /** Nothing was asked since this server knows the run: after a wake the question comes again. */
  private void awaitFirst() {
    long deadline = System.nanoTime() + MOMENT.toNanos();
    try {
      for (long left = MOMENT.toNanos();
          adopted && !asked && !ended && left > 0;
          left = deadline - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a question");
    }
  }
}
