package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where a sandbox is in its life. */
public enum SandboxState {
  /** Being restored from its template. */
  CREATING,
  /** Answers. */
  RUNNING,
  /** Frozen in memory; uses no CPU. */
  PAUSED,
  /** On disk only; wakes with the next call. */
  HIBERNATED,
  /** Ended by a user, a timer or the server. */
  TERMINATED,
  /** Ended by itself or by a limit; see the reason. */
  FAILED;

  /** The value of that wire name. */
  @JsonCreator
  public static SandboxState of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
