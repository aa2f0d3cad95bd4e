package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** Who may reach a port of a sandbox. */
public enum PortAccess {
  /** Who has a key of the project, or a share of that port. The default. */
  PRIVATE,
  /** Everybody who reaches the server and knows the sandbox's id. */
  PUBLIC;

  /** The value of that wire name. */
  @JsonCreator
  public static PortAccess of(String wire) {
    for (PortAccess access : values()) {
      if (access.wire().equals(wire)) {
        return access;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "there is no access " + wire,
        "use one of " + Arrays.stream(values()).map(PortAccess::wire).toList());
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
