package dev.atoll.engine.program;

import dev.atoll.model.AtollException;
import dev.atoll.model.CaseResult;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a run ended, and what it printed. */
record Outcome(RunEvent.End end, Output output) {
  private static final int SHOWN = 4 << 10;

  CaseResult judge(int number, JudgeCase one, CaseLimits limits) {
    Verdict verdict = verdict();
    String expected = one.expectedOutput();
    String diff = null;
    if (verdict == Verdict.ACCEPTED && expected != null) {
      diff = limits.check().difference(output.stdout(), expected);
      verdict = diff == null ? Verdict.ACCEPTED : Verdict.WRONG_ANSWER;
    }
    return new CaseResult(
        number,
        one.name(),
        verdict,
        end.exitCode(),
        end.signal(),
        beginning(output.stdout()),
        beginning(output.stderr()),
        diff,
        end.durationMillis(),
        Objects.requireNonNullElse(end.cpuMillis(), 0L),
        Objects.requireNonNullElse(end.maxRssBytes(), 0L),
        message(verdict, limits));
  }

  /** As far as the output does not matter. */
  private Verdict verdict() {
    if (output.cutBytes() > 0) {
      return Verdict.RUNTIME_ERROR;
    }
    return switch (end.status()) {
      case OK -> Verdict.ACCEPTED;
      case TIMEOUT -> Verdict.TIMEOUT;
      case MEMORY_LIMIT -> Verdict.MEMORY_LIMIT;
      case ERROR, KILLED, DISK_LIMIT, PROCESS_LIMIT, COMPILATION_ERROR -> Verdict.RUNTIME_ERROR;
      case INTERRUPTED -> throw new AtollException(ErrorCode.CONFLICT, "the judging was ended");
      case KERNEL_DIED, SANDBOX_DIED ->
          throw new AtollException(
              ErrorCode.SANDBOX_FAILED,
              "the sandbox ended while the program ran: " + end.message(),
              "judge it again; if it happens again, ask for less at a time");
    };
  }

  private @Nullable String message(Verdict verdict, CaseLimits limits) {
    return switch (verdict) {
      case ACCEPTED, WRONG_ANSWER, COMPILATION_ERROR -> null;
      case TIMEOUT ->
          end.cpuMillis() != null && end.cpuMillis() >= limits.time().toMillis()
              ? "it used more than %d ms of processor time".formatted(limits.time().toMillis())
              : "it did not end within %d ms".formatted(limits.wall().toMillis());
      case MEMORY_LIMIT -> "it held more than %d MiB".formatted(limits.memoryMiB());
      case RUNTIME_ERROR ->
          output.cutBytes() > 0
              ? "it printed more than %d bytes".formatted(limits.maxOutput())
              : end.status() == RunStatus.ERROR ? "exit code " + end.exitCode() : end.message();
    };
  }

  private static String beginning(byte[] bytes) {
    int length = Math.min(bytes.length, SHOWN);
    // A character that was cut in the middle is left out.
    while (length > 0 && length < bytes.length && (bytes[length] & 0xc0) == 0x80) {
      length--;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
