package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RawJson;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the bundles that kernels send. They come from hostile code: what is no text is checked and
 * kept as text, so that no tree of a million empty lists is ever built from it.
 */
final class BundleReader {
  private static final int MAX_FORMS = 32;
  private static final int MAX_TYPE = 200;
  private static final int SHORT = 1000;
  private static final MimeBundle UNREADABLE =
      MimeBundle.ofText("(the kernel's result was unreadable)");

  private BundleReader() {}

  static MimeBundle read(byte[] json) {
    try (JsonParser parser = Json.lenient().createParser(json)) {
      Map<String, Object> forms = new LinkedHashMap<>();
      forms.put("text/plain", "");
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return UNREADABLE;
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String type = parser.currentName();
        JsonToken token = parser.nextToken();
        Object form = token == JsonToken.VALUE_STRING ? parser.getString() : raw(parser);
        if (type.length() <= MAX_TYPE && token != JsonToken.VALUE_NULL) {
          forms.put(type, form);
        }
        if (forms.size() > MAX_FORMS) {
          return UNREADABLE;
        }
      }
      return parser.currentToken() == JsonToken.END_OBJECT ? new MimeBundle(forms) : UNREADABLE;
    } catch (JacksonException e) {
      return UNREADABLE;
    }
  }

  /** What stands for a bundle where there is no room for it. */
  static MimeBundle leftOut(MimeBundle bundle) {
    String text = bundle.text();
    boolean alone = bundle.forms().size() == 1;
    if (alone && text.length() <= SHORT) {
      return bundle;
    }
    String beginning = text.length() <= SHORT ? text : text.substring(0, SHORT) + "…";
    String what = alone ? "the rest" : String.join(", ", bundle.forms().keySet());
    return MimeBundle.ofText(
        beginning
            + "\n[atoll: left out: "
            + what.replace("text/plain, ", "")
            + "; a run shows at most 16 MiB, and 1 MiB is kept for those who ask later]");
  }

  private static RawJson raw(JsonParser parser) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = Json.lenient().createGenerator(text)) {
      generator.copyCurrentStructure(parser);
    }
    return new RawJson(text.toString());
  }
}
