package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What became of something that a sandbox wanted from the network. */
public enum ConnectionVerdict {
  /** It was allowed and took place. */
  ALLOWED,
  /** The policy or a limit refused it, before it took place or in the middle. */
  REFUSED,
  /** It was allowed, but there is no such host or it does not answer. */
  FAILED;

  /** The value of that wire name. */
  @JsonCreator
  public static ConnectionVerdict of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
