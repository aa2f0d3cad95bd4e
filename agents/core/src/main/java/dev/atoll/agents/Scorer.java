package dev.atoll.agents;

import dev.atoll.agents.tools.Workspace;

/** Says how good a branch is. */
@FunctionalInterface
public interface Scorer {
  /**
   * A score; the highest wins. The workspace is the branch's own sandbox, in which it may run code
   * to find out.
   */
  double score(Outcome outcome, Workspace workspace);

  /** Prefers fewer failed calls, then fewer steps. */
  static Scorer fewestFailures() {
    return (outcome, workspace) -> -outcome.failedCalls() - outcome.steps() / 1000.0;
  }
}
