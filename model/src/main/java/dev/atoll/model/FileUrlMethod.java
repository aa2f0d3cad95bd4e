package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;

/** What may be done with a signed URL. */
public enum FileUrlMethod {
  /** Reads the file, with GET or HEAD. */
  GET,
  /** Writes the file, with PUT or POST. */
  PUT;

  /** The value of that wire name. */
  @JsonCreator
  public static FileUrlMethod of(String wire) {
    for (FileUrlMethod method : values()) {
      if (method.wire().equals(wire)) {
        return method;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "there is no URL for the method " + wire,
        "use one of " + Arrays.toString(values()));
  }

  /** The name on the wire, which is that of the method in HTTP. */
  @JsonValue
  public String wire() {
    return name();
  }
}
