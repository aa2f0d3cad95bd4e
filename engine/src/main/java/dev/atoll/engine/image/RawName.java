package dev.atoll.engine.image;

import java.nio.charset.StandardCharsets;

/**
 * Names of files as ASCII text in the encoding of {@code file:} URIs, which is how an {@link
 * Archive} has them. {@link dev.atoll.engine.tree} has one character for each byte.
 */
final class RawName {
  private static final String PLAIN = "-._~/!$&'()*+,;=:@";
  private static final String DIGITS = "0123456789ABCDEF";

  private RawName() {}

  /** One name, or a path. */
  static String encoded(String bytes) {
    StringBuilder text = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (plain || PLAIN.indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append('%').append(DIGITS.charAt(c >> 4)).append(DIGITS.charAt(c & 0xf));
      }
    }
    return text.toString();
  }

  /**
   * The target of a symbolic link. Repeated and trailing slashes, which mean nothing, are left out.
   */
  static String encodedTarget(String bytes) {
    String text = encoded(bytes).replaceAll("/{2,}", "/");
    return text.length() > 1 && text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  /** One name in a directory, from what {@link #encoded} gives and nothing else. */
  static String decodedName(String text) {
    String name = decoded(text);
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/")) {
      throw Archive.invalid("a file is named '" + text + "'");
    }
    return name;
  }

  /** The target of a symbolic link from what {@link #encodedTarget} gives. */
  static String decodedTarget(String text) {
    if (text.isEmpty()) {
      throw Archive.invalid("a symbolic link leads to nothing");
    }
    return decoded(text);
  }

  private static String decoded(String text) {
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' && i + 2 < text.length()) {
        c =
            (char)
                (Character.digit(text.charAt(i + 1), 16) * 16
                    + Character.digit(text.charAt(i + 2), 16));
        i += 2;
      }
      bytes[length++] = (byte) c;
    }
    String name = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    // Each name has one form: an encoded slash or dot is none, nor is anything that is no encoding.
    if (name.indexOf('\0') >= 0 || !encoded(name).equals(text)) {
      throw Archive.invalid("not a name of a file: " + text);
    }
    return name;
  }
}
