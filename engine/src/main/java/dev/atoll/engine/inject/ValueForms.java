package dev.atoll.engine.inject;

import dev.atoll.engine.secret.BoundSecret;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The forms in which a host may send a value back. */
final class ValueForms {
  private static final int BITS = 8;
  private static final int BITS_OF_BASE64 = 6;
  private static final int PHASES = 3;

  private ValueForms() {}

  static List<String> of(BoundSecret secret) {
    String value = secret.value().reveal();
    String json = value.replace("\\", "\\\\").replace("\"", "\\\"");
    String percent = Percent.encode(value);
    List<String> forms =
        new ArrayList<>(
            List.of(
                value,
                percent,
                lowerCaseEscapes(percent),
                json,
                json.replace("/", "\\/"),
                html(value)));
    Basic.credentials(secret).ifPresent(forms::add);
    for (int phase = 0; phase < PHASES; phase++) {
      String base64 = base64(value, phase);
      String url = base64.replace('+', '-').replace('/', '_');
      forms.addAll(List.of(base64, url, base64.replace("/", "\\/")));
    }
    return forms.stream().distinct().toList();
  }

  /**
   * The characters of Base64 that a value alone decides, wherever it stands in what was encoded: as
   * the password of Basic does after a name of any length.
   *
   * @param phase how many bytes more than a multiple of three are before it
   */
  private static String base64(String value, int phase) {
    byte[] bytes = ("\0".repeat(phase) + value).getBytes(StandardCharsets.ISO_8859_1);
    String encoded = Base64.getEncoder().withoutPadding().encodeToString(bytes);
    int first = Math.ceilDiv(phase * BITS, BITS_OF_BASE64);
    return encoded.substring(first, bytes.length * BITS / BITS_OF_BASE64);
  }

  private static String lowerCaseEscapes(String percent) {
    return java.util.regex.Pattern.compile("%..")
        .matcher(percent)
        .replaceAll(escape -> escape.group().toLowerCase(Locale.ROOT));
  }

  private static String html(String value) {
    return Stream.of("&=&amp;", "<=&lt;", ">=&gt;", "\"=&quot;", "'=&#39;")
        .map(pair -> pair.split("=", 2))
        .reduce(value, (text, pair) -> text.replace(pair[0], pair[1]), (a, b) -> b);
  }
}
