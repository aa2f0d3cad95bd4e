package dev.atoll.engine.program;

import dev.atoll.engine.run.Bounds;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.OutputMatch;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What holds for one case: what it says itself, or else the request, or else the defaults. */
record CaseLimits(JudgeRequest request, JudgeCase one) {
  private static final double TIME_SECONDS = 2;
  private static final Duration WAITING = Duration.ofSeconds(5);
  private static final int MEMORY_MIB = 256;
  private static final long SCRATCH_BYTES = 64 << 20;
  private static final long MAX_OUTPUT = 4 << 20;
  private static final double TOLERANCE = 1e-9;

  private static <T> T first(@Nullable T own, @Nullable T common, T otherwise) {
    return own != null ? own : Objects.requireNonNullElse(common, otherwise);
  }

  /** Processor time. */
  Duration time() {
    double seconds = first(one.timeLimitSeconds(), request.timeLimitSeconds(), TIME_SECONDS);
    return Duration.ofMillis(Math.max(1, Math.round(seconds * 1000)));
  }

  /**
   * For those who wait instead of working. Long enough that a program which has its processor time
   * on a busy host is not ended before: starting a virtual machine there takes seconds.
   */
  Duration wall() {
    return time().multipliedBy(2).plus(WAITING);
  }

  int memoryMiB() {
    return first(one.memoryLimitMiB(), request.memoryLimitMiB(), MEMORY_MIB);
  }

  Bounds bounds() {
    return new Bounds(time(), wall(), (long) memoryMiB() << 20, SCRATCH_BYTES);
  }

  long maxOutput() {
    return Objects.requireNonNullElse(request.maxOutputBytes(), MAX_OUTPUT);
  }

  List<String> arguments() {
    return first(one.args(), request.args(), List.of());
  }

  OutputCheck check() {
    boolean numeric =
        one.match() == null && (one.tolerance() != null || request.tolerance() != null);
    OutputMatch match =
        first(
            one.match(),
            one.tolerance() != null ? OutputMatch.NUMERIC : request.match(),
            numeric ? OutputMatch.NUMERIC : OutputMatch.TRIMMED);
    return new OutputCheck(match, first(one.tolerance(), request.tolerance(), TOLERANCE));
  }
}
