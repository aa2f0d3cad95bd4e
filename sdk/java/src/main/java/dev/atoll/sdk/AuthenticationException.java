package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** The API key is missing, unknown or revoked, or may not do this. */
public final class AuthenticationException extends ApiException {
  /** A failure that the server answered. */
  public AuthenticationException(ErrorBody body) {
    super(body, null);
  }
}
