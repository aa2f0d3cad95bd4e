package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** When an output is taken for the expected one. */
public enum OutputMatch {
  /** When every byte is the same. */
  EXACT,
  /** The same but for white space at the ends of lines and empty lines at the end. */
  TRIMMED,
  /** The same words line by line; two numbers may differ by the tolerance. */
  NUMERIC;

  /** The value of that wire name. */
  @JsonCreator
  public static OutputMatch of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
