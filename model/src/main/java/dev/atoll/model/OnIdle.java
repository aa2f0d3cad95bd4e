package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What happens to a sandbox that nobody uses. */
public enum OnIdle {
  /** Its memory goes to disk and it wakes with the next call. */
  HIBERNATE,
  /** It ends. */
  TERMINATE;

  /** The value of that wire name. */
  @JsonCreator
  public static OnIdle of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
