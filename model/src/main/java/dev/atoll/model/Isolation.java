package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The boundary around a sandbox. */
public enum Isolation {
  /** The strongest that works on this host. */
  AUTO,
  /** gVisor: a kernel in user space. */
  GVISOR,
  /** A Linux kernel of its own in a virtual machine. */
  MICROVM;

  /** The value of that wire name. */
  @JsonCreator
  public static Isolation of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
