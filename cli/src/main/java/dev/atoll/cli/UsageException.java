package dev.atoll.cli;

/** The command line makes no sense in a way that only shows when it is carried out. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
