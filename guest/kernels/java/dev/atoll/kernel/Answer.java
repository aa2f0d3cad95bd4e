package dev.atoll.kernel;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What an execution ends with besides its output.
 *
 * @param kind {@code r} for a result, {@code e} for an error
 */
record Answer(char kind, String json) {
  private static final int MOST_TEXT = 1 << 20;

  static Answer value(String text) {
    return new Answer('r', "{\"text/plain\": " + quote(text) + "}");
  }

  static Answer error(String name, String value, List<String> traceback) {
    return error(name, value, traceback, null);
  }

  static Answer error(String name, String value, List<String> traceback, String limit) {
    String lines = traceback.stream().map(Answer::quote).collect(Collectors.joining(", "));
    return new Answer(
        'e',
        "{\"name\": %s, \"value\": %s, \"traceback\": [%s]%s}"
            .formatted(
                quote(name),
                quote(value),
                lines,
                limit == null ? "" : ", \"limit\": " + quote(limit)));
  }

  private static String quote(String whole) {
    String text = whole.length() > MOST_TEXT ? whole.substring(0, MOST_TEXT) + "…" : whole;
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
