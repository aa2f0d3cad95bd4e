package dev.atoll.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a program did.
 *
 * @param verdict accepted, or that of the first case that was not
 * @param compile what the compiler said; null for languages without one
 * @param cases those that were run
 * @param passed how many were accepted
 * @param total how many there were to run
 */
public record JudgeResult(
    Verdict verdict, @Nullable Compilation compile, List<CaseResult> cases, int passed, int total) {
  public JudgeResult {
    cases = cases == null ? List.of() : List.copyOf(cases);
  }

  /** Whether it passed all cases. */
  public boolean accepted() {
    return verdict == Verdict.ACCEPTED;
  }
}
