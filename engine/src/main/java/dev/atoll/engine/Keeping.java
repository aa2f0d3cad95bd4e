package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Knows which sandboxes and snapshots are parts of something and do not go by themselves. */
public interface Keeping {
  /** Keeps nothing. */
  Keeping NOTHING = id -> null;

  /** The name of the service that a sandbox or snapshot is part of; null when it is free. */
  @Nullable String service(String id);

  /** Whether something is part of a service. */
  default boolean keeps(String id) {
    return service(id) != null;
  }

  /** Refuses what would take a part away. */
  default void requireFree(String id) {
    String service = service(id);
    if (service != null) {
      throw new AtollException(
          ErrorCode.CONFLICT,
          id + " is part of the service " + service,
          "delete the service with `atoll services rm " + service + "`, or deploy it anew",
          Map.of("service", service),
          null);
    }
  }
}
