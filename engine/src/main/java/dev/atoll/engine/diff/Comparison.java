package dev.atoll.engine.diff;

import dev.atoll.model.StateDiff;

/** Compares two relatives. */
public final class Comparison {
  private Comparison() {}

  /**
   * What {@code to} has that {@code from} has not, and the other way round: files of the whole file
   * system, and top-level variables of every Python context.
   *
   * @throws dev.atoll.model.AtollException {@code busy} when code runs in a context and does not
   *     end soon
   */
  public static StateDiff between(Side from, Side to) {
    // Variables first: a context that stays busy is known before the files are walked.
    VariableComparison variables = new VariableComparison(from, to);
    variables.run();
    FileComparison files = new FileComparison(from.guest(), to.guest());
    files.run();
    return new StateDiff(
        from.id(),
        to.id(),
        files.found(),
        variables.found(),
        files.isTruncated() || variables.isTruncated());
  }
}
