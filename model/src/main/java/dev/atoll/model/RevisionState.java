package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a deployment of a service has come to. */
public enum RevisionState {
  /** It is being made. */
  BUILDING,
  /** Requests go to it. */
  CURRENT,
  /** A later one has taken its place. */
  RETIRED,
  /** It did not become healthy. */
  FAILED;

  /** The value of that wire name. */
  @JsonCreator
  public static RevisionState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
