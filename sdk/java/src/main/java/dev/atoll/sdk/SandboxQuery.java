package dev.atoll.sdk;

import dev.atoll.model.SandboxState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which sandboxes to list; the living ones when nothing is said. */
public final class SandboxQuery {
  private final List<SandboxState> states = new ArrayList<>();
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private @Nullable String name;
  private boolean ended;
  private int pageSize = 50;

  SandboxQuery() {}

  /** Those in this state; several calls widen the choice. */
  public SandboxQuery state(SandboxState state) {
    states.add(state);
    return this;
  }

  /** The one of that name. */
  public SandboxQuery name(String unique) {
    name = unique;
    return this;
  }

  /** Those with this label; several calls narrow the choice. */
  public SandboxQuery metadata(String key, String value) {
    metadata.put(key, value);
    return this;
  }

  /** Also those that have ended. */
  public SandboxQuery includeEnded() {
    ended = true;
    return this;
  }

  /** How many to fetch with one call. */
  public SandboxQuery pageSize(int size) {
    pageSize = size;
    return this;
  }

  ApiRequest page(String path, @Nullable String cursor) {
    ApiRequest request =
        ApiRequest.get(path).query("limit", pageSize).query("cursor", cursor).query("name", name);
    if (!states.isEmpty()) {
      request.query(
          "state", states.stream().map(SandboxState::wire).collect(Collectors.joining(",")));
    }
    metadata.forEach((key, value) -> request.query("metadata." + key, value));
    return ended ? request.query("all", true) : request;
  }
}
