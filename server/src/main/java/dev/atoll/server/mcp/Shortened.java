package dev.atoll.server.mcp;

/** Makes long output fit into a model's context. */
final class Shortened {
  private static final int MOST = 20_000;

  private Shortened() {}

  /** The text, or its beginning and its end with a note between them. */
  static String middle(String text) {
    if (text.length() <= MOST) {
      return text;
    }
    int half = MOST / 2;
    return text.substring(0, half)
        + "\n… %d characters left out here; write long output to a file and read parts of it …\n"
            .formatted(text.length() - 2 * half)
        + text.substring(text.length() - half);
  }
}
