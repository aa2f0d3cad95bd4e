package dev.atoll.engine.inject;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/**
 * The head of a message.
 *
 * @param line a request's method or a response's reason
 * @param target of a request; empty for a response
 * @param status of a response; 0 for a request
 * @param modern whether it is HTTP/1.1
 * @param framing how its body ends
 */
record Head(
    String line,
    String target,
    int status,
    boolean modern,
    List<HttpField> fields,
    Framing framing) {

  /** How the end of a body is told. */
  enum Framing {
    NONE,
    LENGTH,
    CHUNKED,
    UNTIL_END
  }

  /** What is between two neighbours only, and is said anew to the next one. */
  private static final List<String> HOP_BY_HOP =
      List.of("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade");

  Head {
    fields = List.copyOf(fields);
  }

  @Nullable String value(String name) {
    return fields.stream()
        .filter(field -> field.getName().equalsIgnoreCase(name))
        .map(HttpField::getValue)
        .findFirst()
        .orElse(null);
  }

  /** Whether a header that lists words has this one. */
  boolean lists(String name, String word) {
    return fields.stream()
        .filter(field -> field.getName().equalsIgnoreCase(name) && field.getValue() != null)
        .flatMap(field -> Stream.of(field.getValue().split(",", -1)))
        .anyMatch(token -> token.strip().equalsIgnoreCase(word));
  }

  /** Whether the connection ends after this message. */
  boolean closes() {
    return lists("Connection", "close") || (!modern && !lists("Connection", "keep-alive"));
  }

  boolean wantsWebSocket() {
    return lists("Connection", "upgrade") && lists("Upgrade", "websocket");
  }

  /** The fields that are meant for the other end. */
  List<HttpField> endToEnd() {
    return fields.stream().filter(field -> !isHopByHop(field.getName())).toList();
  }

  private static boolean isHopByHop(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return HOP_BY_HOP.contains(lower) || lower.startsWith("proxy-");
  }
}
