package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What every failure in Atoll is thrown as: a stable code, a message, and a hint at what to do
 * next.
 */
public class AtollException extends RuntimeException {
  private final ErrorCode code;
  private final @Nullable String hint;
  private final Map<String, Object> details;

  public AtollException(ErrorCode code, String message) {
    this(code, message, null, Map.of(), null);
  }

  public AtollException(ErrorCode code, String message, @Nullable String hint) {
    this(code, message, hint, Map.of(), null);
  }

  public AtollException(
      ErrorCode code,
      String message,
      @Nullable String hint,
      Map<String, Object> details,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.hint = hint;
    this.details = Map.copyOf(details);
  }

  public ErrorCode code() {
    return code;
  }

  /** What to do next, if there is something to say. */
  public @Nullable String hint() {
    return hint;
  }

  /** Data about this failure, such as the limit that was passed. */
  public Map<String, Object> details() {
    return details;
  }
}
