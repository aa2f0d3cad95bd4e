package dev.atoll.engine.tree;

import java.nio.charset.StandardCharsets;

/** Names of files as text: one character is one byte. */
public final class NameText {
  private static final int MOST_SHOWN = 200;
  private static final int MOST_NAME = 255;

  private NameText() {}

  /** The bytes that UTF-8 has for a text. */
  public static String of(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** For a person: printable, and not too long. */
  public static String shown(String path) {
    String text = new String(path.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .limit(MOST_SHOWN)
        .forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return text.length() > MOST_SHOWN ? shown + "…" : shown.toString();
  }

  /** One name, as the kernel takes it: neither a path nor a way up. */
  static String requireName(String name) throws PathException {
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new PathException(name, "this names no file");
    }
    if (name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
      throw new PathException(name, "a name with a slash or a zero byte in it");
    }
    if (name.length() > MOST_NAME) {
      throw new PathException(
          name, "a name of %d bytes, at most %d".formatted(name.length(), MOST_NAME));
    }
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) > 0xff) {
        throw new IllegalArgumentException("not one byte for each character: " + shown(name));
      }
    }
    return name;
  }
}
