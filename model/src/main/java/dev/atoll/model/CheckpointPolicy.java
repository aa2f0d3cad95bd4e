package dev.atoll.model;

/**
 * Which states of a sandbox are kept by themselves.
 *
 * @param everyRun keeps the state after each run
 * @param keep how many are kept, the oldest going first; 10 when left out
 */
public record CheckpointPolicy(boolean everyRun, Integer keep) {
  private static final int DEFAULT_KEEP = 10;

  public CheckpointPolicy {
    Check.range("checkpoints.keep", keep, 1, 1000);
    keep = keep == null ? DEFAULT_KEEP : keep;
  }
}
