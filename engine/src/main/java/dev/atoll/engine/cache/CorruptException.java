package dev.atoll.engine.cache;

import java.io.IOException;

/** What came is not what was promised. */
final class CorruptException extends IOException {
  CorruptException(String message) {
    super(message);
  }
}
