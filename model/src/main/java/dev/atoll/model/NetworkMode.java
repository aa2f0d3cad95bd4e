package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** How much of the network a sandbox may reach; the narrowest first. */
public enum NetworkMode {
  /** Nothing. */
  NONE,
  /** The package registries, and what the policy's {@code allow} adds. The default. */
  PACKAGES,
  /** What the policy's {@code allow} names, and nothing else. */
  ALLOWLIST,
  /** Every public address. */
  OPEN;

  /** The value of that wire name. */
  @JsonCreator
  public static NetworkMode of(String wire) {
    for (NetworkMode mode : values()) {
      if (mode.wire().equals(wire)) {
        return mode;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "there is no network mode " + wire,
        "use one of " + Arrays.stream(values()).map(NetworkMode::wire).toList());
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
