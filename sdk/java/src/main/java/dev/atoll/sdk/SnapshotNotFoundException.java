package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** There is no snapshot of that id or name. */
public final class SnapshotNotFoundException extends NotFoundException {
  /** A failure that the server answered. */
  public SnapshotNotFoundException(ErrorBody body) {
    super(body);
  }
}
