package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Percent-encoding of URLs, read strictly: a broken escape or broken UTF-8 is an error. */
final class PercentCoding {
  private static final String UNRESERVED = "-._~";

  private PercentCoding() {}

  /**
   * Decodes a part of a URL.
   *
   * @param plusIsSpace true in a query, where forms write a space as a plus sign
   */
  static String decode(String text, boolean plusIsSpace) {
    if (text.indexOf('%') < 0 && (!plusIsSpace || text.indexOf('+') < 0)) {
      return text;
    }
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        bytes.put(escaped(text, i));
        i += 2;
      } else if (c == '+' && plusIsSpace) {
        bytes.put((byte) ' ');
      } else if (c < 0x80) {
        bytes.put((byte) c);
      } else {
        bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw bad(text, "is not UTF-8 once decoded", e);
    }
  }

  /** Encodes everything but letters, digits and {@code - . _ ~}. */
  static String encode(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED.indexOf(c) >= 0)) {
        encoded.append(c);
      } else {
        encoded.append('%').append(String.format("%02X", (int) c));
      }
    }
    return encoded.toString();
  }

  private static byte escaped(String text, int at) {
    if (at + 2 < text.length()) {
      int high = Character.digit(text.charAt(at + 1), 16);
      int low = Character.digit(text.charAt(at + 2), 16);
      if (high >= 0 && low >= 0) {
        return (byte) (high << 4 | low);
      }
    }
    throw bad(text, "has a broken percent escape", null);
  }

  private static AtollException bad(String text, String why, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.BAD_REQUEST,
        "\"" + text + "\" in the URL " + why,
        "Percent-encode the UTF-8 bytes of the value.",
        Map.of(),
        cause);
  }
}
