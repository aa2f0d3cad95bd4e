package dev.atoll.server;

import dev.atoll.model.Json;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A call of the matrix, in which {@code $thing} stands for what it is made with.
 *
 * @param answer an error code or a status
 * @param alike whether it is to be the answer for what never existed, to the letter
 * @param upgrade whether it asks for a WebSocket
 * @param keyless whether the key is not in a header
 * @param view whether its answer is part of what a project sees of its own
 */
record TenantCall(
    String method,
    String path,
    String query,
    String body,
    Map<String, String> headers,
    String answer,
    boolean alike,
    boolean upgrade,
    boolean keyless,
    boolean view) {
  private static final Pattern THING = Pattern.compile("\\$(own\\.)?([a-zA-Z]+)");

  static TenantCall of(String method, String path, JsonNode line) {
    Map<String, String> headers = new TreeMap<>();
    line.path("headers")
        .properties()
        .forEach(h -> headers.put(h.getKey(), h.getValue().asString()));
    if (line.has("type")) {
      headers.put("Content-Type", line.get("type").asString());
    }
    String answer = line.get("answer").asString();
    return new TenantCall(
        method,
        path,
        line.path("query").asString(""),
        body(line.get("body")),
        headers,
        answer,
        line.has("alike") || !(answer.startsWith("2") || answer.startsWith("3")),
        line.has("upgrade"),
        line.has("keyless"),
        !line.has("view"));
  }

  private static String body(@Nullable JsonNode body) {
    if (body == null) {
      return "";
    }
    return body.isString() ? body.asString() : Json.lenient().writeValueAsString(body);
  }

  /** The path and the query, with everything filled in. */
  String target(Map<String, String> things, Map<String, String> own) {
    String target = query.isEmpty() ? path : path + "?" + query;
    return fill(target, things, own);
  }

  static String fill(String text, Map<String, String> things, Map<String, String> own) {
    return THING
        .matcher(text)
        .replaceAll(
            found -> {
              Map<String, String> from = found.group(1) == null ? things : own;
              String value = from.get(found.group(2));
              if (value == null) {
                throw new IllegalStateException("the matrix names an unknown " + found.group());
              }
              return Matcher.quoteReplacement(value);
            });
  }

  /** The status that is expected, or 0 when it follows from an error code. */
  int status() {
    return Character.isDigit(answer.charAt(0)) ? Integer.parseInt(answer) : 0;
  }

  @Override
  public String toString() {
    return method + " " + path + (query.isEmpty() ? "" : "?" + query) + (upgrade ? " upgrade" : "");
  }
}
