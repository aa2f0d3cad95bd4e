package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** The thing is in a state in which this cannot be done: a name is taken, a sandbox has ended. */
public class ConflictException extends ApiException {
  /** A failure that the server answered. */
  public ConflictException(ErrorBody body) {
    super(body, null);
  }
}
