package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a node in a tree of states is. */
public enum StateKind {
  /** A sandbox. */
  SANDBOX,
  /** A snapshot that somebody took. */
  SNAPSHOT,
  /** A checkpoint that was taken after a run. */
  CHECKPOINT;

  /** The value of that wire name. */
  @JsonCreator
  public static StateKind of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
