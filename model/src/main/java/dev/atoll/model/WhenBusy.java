package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What happens to code whose context executes something else. */
public enum WhenBusy {
  /** It waits for its turn. */
  QUEUE,
  /** It is refused with {@link ErrorCode#BUSY}. */
  FAIL;

  /** The value of that wire name. */
  @JsonCreator
  public static WhenBusy of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
