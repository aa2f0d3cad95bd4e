package dev.atoll.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much state is kept, and how much is prepared.
 *
 * @param maxSnapshots snapshots of one project, not counting automatic checkpoints
 * @param maxSnapshotBytes disk of all snapshots of one project
 * @param retention after which a snapshot is deleted; null for never
 * @param hotBytes disk for copies of snapshots that can be restored without putting them together
 * @param warm how many plain sandboxes are kept ready for whoever asks next
 * @param blanks how many machines of a shape are begun ahead
 * @param aheadDelay how long a sandbox must have been idle before its forks are prepared
 * @param maxAhead how many prepared forks there may be in all
 */
public record StateSettings(
    int maxSnapshots,
    long maxSnapshotBytes,
    @Nullable Duration retention,
    long hotBytes,
    int warm,
    int blanks,
    Duration aheadDelay,
    int maxAhead) {

  /**
   * 1000 snapshots and 100 GiB a project, kept for ever; 8 GiB of them hot; two sandboxes warm,
   * five begun.
   */
  public static StateSettings defaults() {
    return new StateSettings(1000, 100L << 30, null, 8L << 30, 2, 5, Duration.ofMillis(150), 32);
  }

  /** The same with other numbers of warm sandboxes and of machines begun ahead. */
  public StateSettings withReady(int warmCount, int blankCount) {
    return new StateSettings(
        maxSnapshots,
        maxSnapshotBytes,
        retention,
        hotBytes,
        warmCount,
        blankCount,
        aheadDelay,
        maxAhead);
  }
}
