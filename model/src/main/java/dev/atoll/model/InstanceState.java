package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What an instance of a service does. */
public enum InstanceState {
  /** It is being made or woken. */
  STARTING,
  /** It is given requests. */
  READY,
  /** Its program has ended or does not answer, and is started again. */
  RESTARTING,
  /** It is on disk. */
  HIBERNATED,
  /** It ends once its last requests are answered. */
  DRAINING;

  /** The value of that wire name. */
  @JsonCreator
  public static InstanceState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
