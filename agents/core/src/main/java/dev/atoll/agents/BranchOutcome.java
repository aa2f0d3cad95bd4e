package dev.atoll.agents;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What branches have come to.
 *
 * @param outcomes in order of the branches
 * @param scores likewise; NaN for a branch that came to no answer
 * @param winner the branch that the session went on as, counted from 1; 0 if there is none
 */
public record BranchOutcome(List<Outcome> outcomes, List<Double> scores, int winner) {
  /** Copies. */
  public BranchOutcome {
    outcomes = List.copyOf(outcomes);
    scores = List.copyOf(scores);
  }

  /** The outcome of the branch that won. */
  public Optional<Outcome> best() {
    return winner == 0 ? Optional.empty() : Optional.of(outcomes.get(winner - 1));
  }

  static OptionalInt highest(List<Double> scores) {
    int best = -1;
    for (int i = 0; i < scores.size(); i++) {
      if (!scores.get(i).isNaN() && (best < 0 || scores.get(i) > scores.get(best))) {
        best = i;
      }
    }
    return best < 0 ? OptionalInt.empty() : OptionalInt.of(best);
  }
}
