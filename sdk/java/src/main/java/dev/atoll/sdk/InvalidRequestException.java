package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** The request makes no sense to the server; sending it again will not help. */
public final class InvalidRequestException extends ApiException {
  /** A failure that the server answered. */
  public InvalidRequestException(ErrorBody body) {
    super(body, null);
  }
}
