package dev.atoll.sdk;

import dev.atoll.model.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The server could not be found or reached, or the connection to it broke. */
public final class ConnectionException extends ApiException {
  /** A failure that the client saw. */
  public ConnectionException(String message, String hint, @Nullable Throwable cause) {
    super(local(ErrorCode.INTERNAL, message, hint), cause);
  }
}
