package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The one shape of every error answer. */
public record ErrorBody(
    ErrorCode code,
    String message,
    @Nullable String hint,
    String requestId,
    Map<String, Object> details) {
  public ErrorBody {
    details = details == null ? Map.of() : Map.copyOf(details);
  }
}
