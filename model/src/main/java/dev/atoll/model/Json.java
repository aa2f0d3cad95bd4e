package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/** How the model's records are written as JSON: camelCase, no nulls, times in ISO 8601. */
public final class Json {
  private static final int MAX_STRING = 64 << 20;
  private static final JsonMapper LENIENT = mapper(false);
  private static final JsonMapper STRICT = mapper(true);

  private Json() {}

  /** For answers: fields that this version does not know are ignored. */
  public static JsonMapper lenient() {
    return LENIENT;
  }

  /** For requests: unknown fields are errors. */
  public static JsonMapper strict() {
    return STRICT;
  }

  private static JsonMapper mapper(boolean strict) {
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder().maxStringLength(MAX_STRING).build())
            .build();
    return JsonMapper.builder(factory)
        .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, strict)
        .configure(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, true)
        .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, false)
        .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
        .changeDefaultPropertyInclusion(i -> i.withValueInclusion(JsonInclude.Include.NON_NULL))
        .build();
  }
}
