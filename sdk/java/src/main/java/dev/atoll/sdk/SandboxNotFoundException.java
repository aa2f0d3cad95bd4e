package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;

/** There is no sandbox of that id or name. */
public final class SandboxNotFoundException extends NotFoundException {
  /** A failure that the server answered. */
  public SandboxNotFoundException(ErrorBody body) {
    super(body);
  }
}
