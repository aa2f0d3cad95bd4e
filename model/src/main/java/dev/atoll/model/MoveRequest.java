package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/** A rename inside a sandbox. */
public record MoveRequest(String from, String to, @Nullable Boolean overwrite) {
  public MoveRequest {
    Check.path("from", from);
    Check.path("to", to);
  }
}
