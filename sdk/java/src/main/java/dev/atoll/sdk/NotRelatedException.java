package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** The two states have no common origin: no merge, rewind or diff leads from one to the other. */
public final class NotRelatedException extends ConflictException {
  /** A failure that the server answered. */
  public NotRelatedException(ErrorBody body) {
    super(body);
  }
}
