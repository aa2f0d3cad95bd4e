package dev.atoll.engine.inject;

import java.nio.charset.StandardCharsets;

/** Text as it stands in the address of a request. */
final class Percent {
  private static final String UNRESERVED = "-._~";

  private Percent() {}

  static String encode(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || UNRESERVED.indexOf(c) >= 0;
      if (plain) {
        encoded.append(c);
      } else {
        encoded.append('%').append(String.format("%02X", (int) c));
      }
    }
    return encoded.toString();
  }
}
