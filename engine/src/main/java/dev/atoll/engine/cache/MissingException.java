package dev.atoll.engine.cache;

import java.io.IOException;

/** A registry has no such file. */
final class MissingException extends IOException {
  private static final long serialVersionUID = 1;

  MissingException(String message) {
    super(message);
  }
}
