package dev.atoll.cli;

import org.jspecify.annotations.Nullable;

/** The command line makes no sense in a way that only shows when it is carried out. */
final class UsageException extends RuntimeException {
  private final @Nullable String hint;

  UsageException(String message) {
    this(message, null);
  }

  UsageException(String message, @Nullable String hint) {
    super(message);
    this.hint = hint;
  }

  /** What to do instead, if there is something to say. */
  @Nullable String hint() {
    return hint;
  }
}
