package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxState;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a listing of sandboxes should hold.
 *
 * @param limit at most so many on a page, 1 to 200
 * @param cursor where the page before ended
 * @param states empty: all that have not ended
 * @param metadata labels that must all be there
 */
public record SandboxQuery(
    int limit,
    @Nullable String cursor,
    Set<SandboxState> states,
    @Nullable String name,
    Map<String, String> metadata) {
  public SandboxQuery {
    if (limit < 1 || limit > 200) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "limit is " + limit + ", must be between 1 and 200");
    }
    states = Set.copyOf(states);
    metadata = Map.copyOf(metadata);
  }
}
