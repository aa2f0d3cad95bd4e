package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * JSON that passes through unread. What a sandbox sends may be large and deep; as text it takes no
 * more memory than it has characters.
 *
 * @param text one valid JSON value without line breaks; whoever makes it has checked that
 */
public record RawJson(@JsonValue @JsonRawValue String text) {
  @Override
  public String toString() {
    return text;
  }
}
