package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a service does. */
public enum ServiceState {
  /** Its first deployment is under way. */
  DEPLOYING,
  /** An instance is awake. */
  ACTIVE,
  /** No instance is awake; the next request wakes one, or makes one. */
  ASLEEP,
  /** Its program does not work; the problem says why. */
  FAILING;

  /** The value of that wire name. */
  @JsonCreator
  public static ServiceState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
