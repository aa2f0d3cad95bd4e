package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What happened to a watched file. */
public enum FileChange {
  /** It came to be. */
  CREATED,
  /** Its content changed. */
  MODIFIED,
  /** It was removed. */
  REMOVED,
  /** It has a new name. */
  MOVED,
  /** Events were lost. */
  OVERFLOW;

  /** The value of that wire name. */
  @JsonCreator
  public static FileChange of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
