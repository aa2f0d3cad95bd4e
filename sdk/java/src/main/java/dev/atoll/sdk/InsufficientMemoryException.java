package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** The host has not enough memory left; nothing of what was asked was done. */
public final class InsufficientMemoryException extends ApiException {
  /** A failure that the server answered. */
  public InsufficientMemoryException(ErrorBody body) {
    super(body, null);
  }
}
