package dev.atoll.sdk;

import dev.atoll.model.SnapshotKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which snapshots to list; those that somebody has taken when nothing is said. */
public final class SnapshotQuery {
  private final List<SnapshotKind> kinds = new ArrayList<>();
  private final Map<String, String> labels = new LinkedHashMap<>();
  private @Nullable String sandbox;
  private @Nullable String name;
  private @Nullable Boolean automatic;
  private int pageSize = 50;

  SnapshotQuery() {}

  /** Those of a sandbox, by id or name; its checkpoints are listed too. */
  public SnapshotQuery sandbox(String idOrName) {
    sandbox = idOrName;
    return this;
  }

  /** The one of that name. */
  public SnapshotQuery name(String unique) {
    name = unique;
    return this;
  }

  /** Those of this kind; several calls widen the choice. */
  public SnapshotQuery kind(SnapshotKind kind) {
    kinds.add(kind);
    return this;
  }

  /** Those with this label; several calls narrow the choice. */
  public SnapshotQuery label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  /** Whether checkpoints, which sandboxes take by themselves after a run, are listed too. */
  public SnapshotQuery automatic(boolean included) {
    automatic = included;
    return this;
  }

  /** How many to fetch with one call. */
  public SnapshotQuery pageSize(int size) {
    pageSize = size;
    return this;
  }

  ApiRequest page(String path, @Nullable String cursor) {
    ApiRequest request =
        ApiRequest.get(path)
            .query("limit", pageSize)
            .query("cursor", cursor)
            .query("sandbox", sandbox)
            .query("name", name);
    if (!kinds.isEmpty()) {
      request.query(
          "kind", kinds.stream().map(SnapshotKind::wire).collect(Collectors.joining(",")));
    }
    labels.forEach((key, value) -> request.query("labels." + key, value));
    return request.query("automatic", automatic);
  }
}
