package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SnapshotKind;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a listing of snapshots should hold.
 *
 * @param limit at most so many on a page, 1 to 200
 * @param cursor where the page before ended
 * @param sandbox id of the sandbox that they are states of
 * @param kinds empty: all
 * @param automatic whether automatic checkpoints are listed too; null: only with a sandbox
 * @param labels that must all be there
 */
public record SnapshotQuery(
    int limit,
    @Nullable String cursor,
    @Nullable String sandbox,
    @Nullable String name,
    Set<SnapshotKind> kinds,
    @Nullable Boolean automatic,
    Map<String, String> labels) {
  public SnapshotQuery {
    if (limit < 1 || limit > 200) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "limit is " + limit + ", must be between 1 and 200");
    }
    kinds = Set.copyOf(kinds);
    labels = Map.copyOf(labels);
  }

  /** Whether automatic checkpoints are among them. */
  public boolean withAutomatic() {
    return automatic == null ? sandbox != null : automatic;
  }
}
