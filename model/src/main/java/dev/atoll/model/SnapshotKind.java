package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a snapshot holds. */
public enum SnapshotKind {
  /** Everything: processes, variables, files. */
  MEMORY,
  /** Files alone; a sandbox made from it starts fresh with them. */
  FILES;

  /** The value of that wire name. */
  @JsonCreator
  public static SnapshotKind of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
