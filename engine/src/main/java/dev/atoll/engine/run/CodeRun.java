package dev.atoll.engine.run;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.TerminalSize;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One execution of code in a context. */
final class CodeRun extends RunRecord {
  private final CodeContext context;
  private final Execution execution;
  private volatile @Nullable RunStatus limit;
  private volatile boolean failed;
  private volatile int exitCode;
  private final @Nullable Questions questions;

  /**
   * @param asking whom it may ask
   */
  CodeRun(
      CodeContext context,
      Execution execution,
      String id,
      long maxOutput,
      BudgetAccount memory,
      @Nullable Duration reconnect,
      Asking asking) {
    super(id, execution.startedAt(), maxOutput, memory, reconnect);
    this.context = context;
    this.execution = execution;
    this.questions =
        asking == Asking.NOBODY ? null : new Questions(log(), asking == Asking.WHOEVER_COMES);
    if (questions != null) {
      onEnd(questions::end);
    }
  }

  /** Whom the code of a run may ask. */
  enum Asking {
    NOBODY,
    /** The one whom it runs for, who has said that he answers. */
    CALLER,
    /** It ran before this server, or this machine, was there: whoever follows it. */
    WHOEVER_COMES
  }

  /** Whether it may ask. */
  boolean asks() {
    return questions != null;
  }

  /** Its kernel asks, or does so no more. */
  void question(byte[] json) {
    Questions asked = questions;
    if (asked != null) {
      KernelQuestion.parse(json).ifPresent(asked::say);
    }
  }

  @Override
  public void answer(InputAnswer answer) {
    Questions asked = questions;
    KernelQuestion question = asked == null ? null : asked.take(answer.id());
    if (asked == null || question == null) {
      throw notAwaited(answer);
    }
    try {
      if (!context.answer(this, question.number(), answer)) {
        throw notAwaited(answer);
      }
    } catch (AtollException e) {
      // It waits on.
      asked.say(question);
      throw e;
    }
  }

  Execution execution() {
    return execution;
  }

  /** Notes an exception; how the run ends is decided when the kernel is done. */
  void failed(KernelError error) {
    boolean first = !failed;
    failed = true;
    limit = error.limit();
    exitCode = error.exitCode();
    // A kernel tells one; who goes on has no more to say.
    if (first && !error.isExit()) {
      log()
          .result(
              new RunEvent.Failure(error.error()),
              new RunEvent.Failure(error.shortened()),
              error.size());
    }
  }

  /**
   * The limit that made it fail, as its own error or the agent tells. A disk that is full is told
   * also where the code went on: what it started may have been ended, and what comes next fails.
   */
  @Nullable RunStatus limitMet(@Nullable RunStatus agentLimit) {
    if (!failed) {
      return agentLimit == RunStatus.DISK_LIMIT ? agentLimit : null;
    }
    return limit != null ? limit : agentLimit;
  }

  /** The kernel is done with it. */
  void done(@Nullable RunStatus agentLimit) {
    RunStatus stopped = stopping();
    RunStatus over = limitMet(agentLimit);
    if (stopped != null) {
      int code = stopped == RunStatus.TIMEOUT ? 124 : 130;
      finish(
          stopped,
          code,
          null,
          null,
          null,
          stopped == RunStatus.TIMEOUT
              ? "its time was up; the variables of the context are kept"
              : "it was interrupted; the variables of the context are kept");
    } else if (over != null) {
      finish(
          over,
          exitCode == 0 ? 1 : exitCode,
          null,
          null,
          null,
          ProcessEnd.message(over) + "; the variables of the context are kept");
    } else {
      finish(exitCode == 0 ? RunStatus.OK : RunStatus.ERROR, exitCode, null, null, null, null);
    }
  }

  /** The kernel died under it. */
  void kernelDied(ProcessEnd end) {
    RunStatus status =
        switch (end.status()) {
          case OK, ERROR, KILLED -> RunStatus.KERNEL_DIED;
          default -> end.status();
        };
    int code = end.exitCode() == 0 ? 1 : end.exitCode();
    String how = end.message() == null ? "exit code " + end.exitCode() : end.message();
    finish(
        status,
        code,
        end.signal(),
        null,
        null,
        "the kernel ended ("
            + how
            + "); the variables of the context are lost, the next run starts a new one");
  }

  /** The kernel had died before, with nobody there to be told; nothing of this one is run. */
  void kernelHadDied(RunStatus limit) {
    finish(
        limit,
        1,
        null,
        null,
        null,
        "the kernel ended before this run began ("
            + ProcessEnd.message(limit)
            + "); this code was not run and the variables of the context are lost, the next run"
            + " starts a new one");
  }

  void sandboxDied(String reason) {
    finish(RunStatus.SANDBOX_DIED, 125, null, null, null, "the sandbox has ended: " + reason);
  }

  @Override
  void room() {
    context.room();
  }

  // NullAway does not see the annotation of a nested record in a compiled class.
  @SuppressWarnings("NullAway")
  @Override
  public ProcessInfo info() {
    RunEvent.End end = log().ending();
    return new ProcessInfo(
        id(),
        context.pid(),
        context.name(),
        List.of(context.language()),
        false,
        end == null,
        startedAt(),
        log().outputBytes(),
        end);
  }

  @Override
  public void writeStdin(byte[] bytes, int offset, int length) {
    throw noInput();
  }

  @Override
  public void closeStdin() {
    throw noInput();
  }

  @Override
  public void signal(int number, boolean tree) {
    throw new AtollException(
        ErrorCode.CONFLICT, "a code run takes no signals", "cancel it, or interrupt its context");
  }

  @Override
  public void resize(TerminalSize size) {
    throw new AtollException(ErrorCode.CONFLICT, "a code run has no terminal");
  }

  @Override
  public void cancel() {
    context.stop(this, RunStatus.INTERRUPTED);
  }

  void timeOut() {
    context.stop(this, RunStatus.TIMEOUT);
  }

  private static AtollException noInput() {
    return new AtollException(
        ErrorCode.CONFLICT,
        "a code run has no standard input",
        "use a command or a process instead");
  }
}
