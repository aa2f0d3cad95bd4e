package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a program deserves. */
public enum Verdict {
  /** It ended with success and its output is what was expected. */
  ACCEPTED,
  /** It ended with success, but its output is not what was expected. */
  WRONG_ANSWER,
  /** Its time was up. */
  TIMEOUT,
  /** Its processes held more memory than they may. */
  MEMORY_LIMIT,
  /** It ended with an exit code other than 0, by a signal, or because it wrote too much. */
  RUNTIME_ERROR,
  /** The compiler refused it. */
  COMPILATION_ERROR;

  /** The value of that wire name. */
  @JsonCreator
  public static Verdict of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
