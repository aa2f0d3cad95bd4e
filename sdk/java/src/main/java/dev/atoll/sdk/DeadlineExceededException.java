package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import org.jspecify.annotations.Nullable;

/** No answer came in time. Whether the request was carried out is not known. */
public final class DeadlineExceededException extends ApiException {
  /** A failure that the server answered, or that the client saw. */
  public DeadlineExceededException(ErrorBody body, @Nullable Throwable cause) {
    super(body, cause);
  }
}
