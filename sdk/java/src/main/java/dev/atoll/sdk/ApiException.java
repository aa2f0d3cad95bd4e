package dev.atoll.sdk;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call to Atoll failed.
 *
 * <p>Subclasses exist for what callers usually tell apart; {@link #code()} names the failure
 * exactly, {@link #hint()} says what to do next.
 */
public class ApiException extends AtollException {
  private final String requestId;

  /** A failure that the server answered, or that is told in the same form. */
  public ApiException(ErrorBody body, @Nullable Throwable cause) {
    super(body.code(), body.message(), body.hint(), body.details(), cause);
    this.requestId = body.requestId();
  }

  /** The id under which the server's log has this request; empty if no answer came. */
  public final String requestId() {
    return requestId;
  }

  static ErrorBody local(ErrorCode code, String message, @Nullable String hint) {
    return new ErrorBody(code, message, hint, "", Map.of());
  }
}
