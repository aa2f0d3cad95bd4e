package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Where a page of a listing that goes from new to old has ended. */
record Cursor(long millis, String id) {

  String encode() {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString((millis + " " + id).getBytes(StandardCharsets.UTF_8));
  }

  static Cursor decode(String cursor) {
    try {
      String position = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      if (position.matches("[0-9]{1,15} [a-zA-Z0-9_]+")) {
        String[] parts = position.split(" ", 2);
        return new Cursor(Long.parseLong(parts[0]), parts[1]);
      }
    } catch (IllegalArgumentException e) {
      // Falls through to the same answer as a cursor that decodes to nonsense.
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "the cursor is none of this server's",
        "give back nextCursor of the page before, or leave it out");
  }
}
