package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/**
 * The snapshot cannot be restored on this server: another driver, another version, or files gone.
 */
public final class SnapshotIncompatibleException extends ConflictException {
  /** A failure that the server answered. */
  public SnapshotIncompatibleException(ErrorBody body) {
    super(body);
  }
}
