package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot to be taken of a sandbox.
 *
 * @param name unique in the project; the snapshot can be found by it
 * @param labels of the caller
 * @param kind {@code memory} by default
 */
public record SnapshotRequest(
    @Nullable String name, Map<String, String> labels, SnapshotKind kind) {
  public SnapshotRequest {
    if (name != null) {
      Check.that(name.matches(SandboxSpec.NAME), "name", "must match " + SandboxSpec.NAME);
      Check.that(
          !name.startsWith("sbx_") && !name.startsWith("snp_"),
          "name",
          "must not start with sbx_ or snp_, which mark ids");
    }
    labels = labels == null ? Map.of() : Check.labels("labels", labels);
    kind = kind == null ? SnapshotKind.MEMORY : kind;
  }

  /** A memory snapshot without a name. */
  public static SnapshotRequest unnamed() {
    return new SnapshotRequest(null, Map.of(), SnapshotKind.MEMORY);
  }
}
