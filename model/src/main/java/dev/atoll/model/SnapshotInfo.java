package dev.atoll.model;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kept state of a sandbox.
 *
 * @param automatic whether it was taken by the sandbox's {@link CheckpointPolicy}
 * @param sandbox the sandbox that it is a state of
 * @param parent the snapshot that this state goes back to; it may have been deleted
 * @param run the run after which it was taken, when it is automatic
 * @param note what that run was: the beginning of its code
 * @param totalBytes how much a restore reads
 * @param ownBytes how much disk its deletion would free; the rest is shared with relatives
 */
public record SnapshotInfo(
    String id,
    @Nullable String name,
    SnapshotKind kind,
    SnapshotState state,
    boolean automatic,
    String sandbox,
    @Nullable String parent,
    @Nullable String run,
    @Nullable String note,
    String template,
    String templateDigest,
    Isolation isolation,
    String driver,
    String driverVersion,
    double cpus,
    int memoryMiB,
    int diskMiB,
    int processes,
    Map<String, String> env,
    Map<String, String> labels,
    Instant createdAt,
    long totalBytes,
    long ownBytes) {
  public SnapshotInfo {
    env = env == null ? Map.of() : Map.copyOf(env);
    labels = labels == null ? Map.of() : Map.copyOf(labels);
  }

  /** The same snapshot in another state and of another size. */
  public SnapshotInfo with(SnapshotState newState, long newTotalBytes, long newOwnBytes) {
    return new SnapshotInfo(
        id,
        name,
        kind,
        newState,
        automatic,
        sandbox,
        parent,
        run,
        note,
        template,
        templateDigest,
        isolation,
        driver,
        driverVersion,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        env,
        labels,
        createdAt,
        newTotalBytes,
        newOwnBytes);
  }
}
