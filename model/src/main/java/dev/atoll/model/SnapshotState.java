package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Whether a snapshot can be used. */
public enum SnapshotState {
  /** Being written. */
  CREATING,
  /** On disk. */
  READY;

  /** The value of that wire name. */
  @JsonCreator
  public static SnapshotState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
