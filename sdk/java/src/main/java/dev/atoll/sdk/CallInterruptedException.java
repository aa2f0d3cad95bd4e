package dev.atoll.sdk;

import dev.atoll.model.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted while it waited. Its interrupt flag is set again; a run that
 * it waited for has been cancelled.
 */
public final class CallInterruptedException extends ApiException {
  /** A failure that the client saw. */
  public CallInterruptedException(@Nullable Throwable cause) {
    super(local(ErrorCode.INTERNAL, "the calling thread was interrupted", null), cause);
  }
}
