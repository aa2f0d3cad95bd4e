package dev.atoll.engine.inject;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that values can be found in what comes back. Requests ask for whole bodies as they
 * are, whatever the program asked for; an answer in another form is not handed on.
 */
final class PlainAnswers {
  private static final String EXTENSIONS = "Sec-WebSocket-Extensions";
  private static final int PARTIAL_CONTENT = 206;

  /** What asks for another encoding, for a part, for the difference, or for compressed frames. */
  private static final Set<String> ASKING =
      Set.of(
          "accept-encoding",
          "accept-charset",
          "a-im",
          "if-range",
          "range",
          EXTENSIONS.toLowerCase(Locale.ROOT));

  private PlainAnswers() {}

  /** The fields of a request that asks for nothing that could not be searched. */
  static List<HttpField> askedFor(List<HttpField> fields) {
    List<HttpField> plain = new ArrayList<>(fields);
    plain.removeIf(field -> ASKING.contains(field.getName().toLowerCase(Locale.ROOT)));
    plain.add(new HttpField("Accept-Encoding", "identity"));
    return plain;
  }

  /** Why an answer cannot be searched; null when it can. */
  static @Nullable String refuses(Head response) {
    if (response.value(EXTENSIONS) != null) {
      return "the host extends WebSocket, which it was not asked for";
    }
    if (response.framing() == Head.Framing.NONE) {
      return null;
    }
    if (!words(response, "Content-Encoding").allMatch("identity"::equals)) {
      return "the host has encoded its answer, which it was not asked for";
    }
    if (!words(response, "Transfer-Encoding").allMatch("chunked"::equals)) {
      return "the host has encoded its answer for the way, which it was not asked for";
    }
    return response.status() == PARTIAL_CONTENT
        ? "the host has answered with a part, which it was not asked for"
        : null;
  }

  private static Stream<String> words(Head head, String name) {
    return head.fields().stream()
        .filter(field -> field.getName().equalsIgnoreCase(name) && field.getValue() != null)
        .flatMap(field -> Stream.of(field.getValue().split(",", -1)))
        .map(word -> word.strip().toLowerCase(Locale.ROOT))
        .filter(word -> !word.isEmpty());
  }
}
