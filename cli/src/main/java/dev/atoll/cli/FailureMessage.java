package dev.atoll.cli;

import dev.atoll.model.AtollException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What a failure says to a person, in one line. */
final class FailureMessage {
  private FailureMessage() {}

  static String of(Exception e) {
    if (e instanceof UncheckedIOException unchecked) {
      return ofInputOutput(
          unchecked.getCause() == null ? new IOException(e) : unchecked.getCause());
    }
    if (e instanceof AtollException failure) {
      return OptionNames.message(failure);
    }
    String text = e.getMessage();
    return text == null ? e.toString() : text;
  }

  private static String ofInputOutput(IOException e) {
    String text = e.getMessage();
    if (text == null) {
      return e.toString();
    }
    if (e instanceof NoSuchFileException) {
      return "no such file: " + text;
    }
    return e instanceof AccessDeniedException ? "permission denied: " + text : text;
  }
}
