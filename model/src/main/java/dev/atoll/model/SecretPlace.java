package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/**
 * A place of requests in which a secret's placeholder is replaced only if the secret says so, since
 * hosts show, log or keep what stands there. In headers that are for credentials it always is.
 */
public enum SecretPlace {
  /** All headers. */
  HEADERS,
  /** The path of the address. */
  PATH,
  /** The parameters of the address. */
  QUERY;

  /** The value of that wire name. */
  @JsonCreator
  public static SecretPlace of(String wire) {
    for (SecretPlace place : values()) {
      if (place.wire().equals(wire)) {
        return place;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "a placeholder cannot be replaced in " + wire,
        "use some of " + Arrays.stream(values()).map(SecretPlace::wire).toList());
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
