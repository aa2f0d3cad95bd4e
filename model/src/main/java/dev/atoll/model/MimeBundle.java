package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One value in several forms, by MIME type: the same thing as text, as HTML, as an image, as data.
 * {@code text/plain} is always there.
 *
 * @param forms text as it is, bytes in base64, and JSON as maps and lists
 */
public record MimeBundle(@JsonValue Map<String, Object> forms) {
  /** The data behind a chart. */
  public static final String CHART = "application/vnd.atoll.chart+json";

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public MimeBundle {
    Map<String, Object> copy = new LinkedHashMap<>(forms);
    copy.values().removeIf(Objects::isNull);
    forms = Collections.unmodifiableMap(copy);
  }

  /** A bundle of text alone. */
  public static MimeBundle ofText(String text) {
    return new MimeBundle(Map.of("text/plain", text));
  }

  /** The form of a type as it came: text, bytes in base64, or JSON as maps and lists. */
  public Optional<Object> get(String type) {
    return Optional.ofNullable(forms.get(type));
  }

  /** The form of a type as text; JSON is written out. */
  public Optional<String> text(String type) {
    return get(type)
        .map(form -> form instanceof String text ? text : Json.lenient().writeValueAsString(form));
  }

  /** The form of a type as bytes: decoded from base64, or text in UTF-8. */
  public Optional<byte[]> bytes(String type) {
    boolean isText =
        type.startsWith("text/")
            || type.endsWith("+xml")
            || type.endsWith("json")
            || is(type, "javascript");
    return text(type)
        .map(
            form ->
                isText
                    ? form.getBytes(StandardCharsets.UTF_8)
                    : Base64.getMimeDecoder().decode(form));
  }

  private static boolean is(String type, String name) {
    return type.endsWith("/" + name);
  }

  /** About how many characters all its forms have that are text, or JSON that nobody has read. */
  public long length() {
    long length = 0;
    for (Object form : forms.values()) {
      length +=
          form instanceof CharSequence text
              ? text.length()
              : form instanceof RawJson json ? json.text().length() : 0;
    }
    return length;
  }

  /** What it looks like in a terminal. */
  public String text() {
    return text("text/plain").orElse("");
  }

  /** Tables of pandas, for one, come as HTML besides text. */
  public Optional<String> html() {
    return text("text/html");
  }

  public Optional<String> markdown() {
    return text("text/markdown");
  }

  public Optional<String> latex() {
    return text("text/latex");
  }

  public Optional<String> svg() {
    return text("image/svg+xml");
  }

  /** The bytes of a PNG image, as figures of matplotlib come. */
  public Optional<byte[]> png() {
    return bytes("image/png");
  }

  public Optional<byte[]> jpeg() {
    return bytes("image/jpeg");
  }

  public Optional<byte[]> pdf() {
    return bytes("application/pdf");
  }

  /** The value as JSON: maps, lists, strings, numbers, booleans. */
  public Optional<Object> json() {
    return get("application/json");
  }

  /** The data behind a chart, so that a program can read what a person sees. */
  public Optional<Chart> chart() {
    return get(CHART).map(Chart::of);
  }
}
