package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How something differs from what it was. */
public enum Change {
  /** It was not there. */
  ADDED,
  /** It is different. */
  CHANGED,
  /** It is no more. */
  REMOVED;

  /** The value of that wire name. */
  @JsonCreator
  public static Change of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
