package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a run ended. */
public enum RunStatus {
  /** Ended by itself with success. */
  OK,
  /** Ended by itself with an exception or an exit code other than 0. */
  ERROR,
  /** Ended because its time was up. */
  TIMEOUT,
  /** Ended by an interrupt or a cancellation. */
  INTERRUPTED,
  /** Ended by a signal. */
  KILLED,
  /** Ended because the sandbox was out of memory. */
  MEMORY_LIMIT,
  /** Ended because the sandbox was out of disk. */
  DISK_LIMIT,
  /** Ended because the sandbox was out of processes. */
  PROCESS_LIMIT,
  /** The language kernel died under it; the variables of the context are lost. */
  KERNEL_DIED,
  /** The whole sandbox died under it. */
  SANDBOX_DIED,
  /** The compiler refused the code, so that nothing ran. */
  COMPILATION_ERROR;

  /** The value of that wire name. */
  @JsonCreator
  public static RunStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
