package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What is at a path. */
public enum FileKind {
  /** A regular file. */
  FILE,
  /** A directory. */
  DIRECTORY,
  /** A symbolic link. */
  SYMLINK,
  /** A device, a socket or a pipe. */
  OTHER;

  /** The value of that wire name. */
  @JsonCreator
  public static FileKind of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
