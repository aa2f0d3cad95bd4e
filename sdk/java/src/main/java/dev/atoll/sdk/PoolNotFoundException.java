package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** There is no warm pool of that id or name. */
public final class PoolNotFoundException extends NotFoundException {
  /** A failure that the server answered. */
  public PoolNotFoundException(ErrorBody body) {
    super(body);
  }
}
