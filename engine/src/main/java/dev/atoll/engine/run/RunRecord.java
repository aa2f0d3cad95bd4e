package dev.atoll.engine.run;

import dev.atoll.engine.Run;
import dev.atoll.engine.RunEvents;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What processes and executions have in common: an id, a log, a start, and a reason for being
 * stopped.
 */
abstract class RunRecord implements Run {
  /** Whoever starts a run reads it a moment later, or follows it only now and then. */
  private static final Duration FIRST_READER = Duration.ofSeconds(2);

  /** Whoever waits for its end does read it, however busy the host is. */
  private static final Duration SURE_READER = Duration.ofSeconds(60);

  private static final Duration FOREVER = Duration.ofDays(365);

  private final String id;
  private final Instant startedAt;
  private final RunLog log;
  private final BudgetAccount memory;
  private final @Nullable Duration reconnect;
  private volatile @Nullable RunStatus stopping;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private volatile long endedNanos;
  private final AtomicLong paid = new AtomicLong();

  /**
   * @param memory pays for what is kept of it
   * @param reconnect for how long it goes on when the one whom it runs for has gone; null: for ever
   */
  RunRecord(
      String id,
      Instant startedAt,
      long maxOutput,
      BudgetAccount memory,
      @Nullable Duration reconnect) {
    this.id = id;
    this.memory = memory;
    this.startedAt = startedAt;
    this.reconnect = reconnect;
    this.log =
        reconnect == null
            ? new RunLog(maxOutput, this::room, FIRST_READER, memory)
            : RunLog.awaitingHolder(maxOutput, this::room, SURE_READER, memory);
  }

  /** The guest may send more. */
  abstract void room();

  @Override
  public String id() {
    return id;
  }

  /** Notes that its place was paid for. */
  void pay(long bytes) {
    paid.set(bytes);
  }

  /** What is to be given back for its place, once. */
  long unpay() {
    return paid.getAndSet(0);
  }

  /** The same for a part that is needed no more, if that was paid. */
  long unpay(long part) {
    long before = paid.getAndUpdate(all -> all >= part ? all - part : all);
    return before >= part ? part : 0;
  }

  Instant startedAt() {
    return startedAt;
  }

  RunLog log() {
    return log;
  }

  /** Notes why this run is about to be stopped; the first reason stays. */
  boolean stopping(RunStatus reason) {
    if (stopping != null || isEnded()) {
      return false;
    }
    stopping = reason;
    log.drain();
    return true;
  }

  @Nullable RunStatus stopping() {
    return stopping;
  }

  boolean isEnded() {
    return log.ending() != null;
  }

  /** Whether it ended so long ago that it need not be kept. */
  boolean isStale(Duration keep) {
    return isEnded() && System.nanoTime() - endedNanos > keep.toNanos();
  }

  /** Does something when it has ended; at once if it has already. */
  void onEnd(Runnable task) {
    var _ = ended.thenRun(task);
  }

  void finish(
      RunStatus status,
      int exitCode,
      @Nullable String signal,
      @Nullable Long cpuMillis,
      @Nullable Long maxRss,
      @Nullable String message) {
    long millis = Math.max(0, Duration.between(startedAt, Instant.now()).toMillis());
    finish(status, exitCode, signal, millis, cpuMillis, maxRss, message);
  }

  void finish(
      RunStatus status,
      int exitCode,
      @Nullable String signal,
      long millis,
      @Nullable Long cpuMillis,
      @Nullable Long maxRss,
      @Nullable String message) {
    endedNanos = System.nanoTime();
    // Before anybody can see the end: what must happen between this run and the next begins now.
    ended.complete(null);
    log.end(
        new RunEvent.End(
            status, exitCode, signal, millis, cpuMillis, maxRss, log.outputBytes(), message));
  }

  @Override
  public RunEvents events(long from) {
    requireOffset(from);
    return log.read(from);
  }

  @Override
  public RunEvents hold(long from) {
    requireOffset(from);
    return log.hold(from);
  }

  private static void requireOffset(long from) {
    if (from < 0) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "from is " + from + ", must not be negative");
    }
  }

  @Override
  public void abandon() {
    if (reconnect != null && !isEnded()) {
      log.abandoned(reconnect);
      endIfForsaken();
    }
  }

  /** Ends it if the one whom it runs for has not come back. */
  void endIfForsaken() {
    if (!log.isForsaken()) {
      return;
    }
    try {
      cancel();
    } catch (AtollException e) {
      // It has just ended by itself.
    }
  }

  @Override
  public RunResult result() {
    BudgetAccount passing = memory.another();
    try {
      return result(passing);
    } finally {
      passing.giveAll();
    }
  }

  @Override
  public RunResult result(BudgetAccount payer) {
    RunResult result = result(payer, () -> false);
    if (result == null) {
      throw new IllegalStateException("a result that is wanted");
    }
    return result;
  }

  @Override
  public @Nullable RunResult result(BudgetAccount payer, BooleanSupplier unwanted) {
    try (RunEvents events = log.hold(0)) {
      return ResultCollector.collect(id, events, payer, unwanted);
    }
  }

  @Override
  public void answer(InputAnswer answer) {
    throw notAwaited(answer);
  }

  AtollException notAwaited(InputAnswer answer) {
    return new AtollException(
        ErrorCode.INPUT_NOT_AWAITED,
        "run " + id + " waits for no answer to question " + answer.id(),
        "it was answered before, or the run does not wait any more; answer the input_request that"
            + " its events show last");
  }

  @Override
  public boolean await(Duration timeout) {
    try {
      return log.awaitEnd(timeout.compareTo(FOREVER) > 0 ? FOREVER : timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a run");
    }
  }
}
