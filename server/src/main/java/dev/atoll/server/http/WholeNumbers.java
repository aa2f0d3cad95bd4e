package dev.atoll.server.http;

import java.math.BigDecimal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;

/**
 * Reads whole numbers as JSON Schema understands them: {@code 8000.0} and {@code 8e3} are 8000,
 * {@code 1.5} is none. Some languages write every number with a point.
 */
final class WholeNumbers<T extends Number> extends StdDeserializer<T> {
  /** More digits than any number that is taken; what is larger is not worked out. */
  private static final int MOST_DIGITS = 20;

  private final Function<BigDecimal, T> exact;
  private final @Nullable T absent;

  private WholeNumbers(Class<T> type, Function<BigDecimal, T> exact, @Nullable T absent) {
    super(type);
    this.exact = exact;
    this.absent = absent;
  }

  static SimpleModule module() {
    Function<BigDecimal, Integer> ints = BigDecimal::intValueExact;
    Function<BigDecimal, Long> longs = BigDecimal::longValueExact;
    return new SimpleModule("whole-numbers")
        .addDeserializer(Integer.class, new WholeNumbers<>(Integer.class, ints, null))
        .addDeserializer(int.class, new WholeNumbers<>(int.class, ints, 0))
        .addDeserializer(Long.class, new WholeNumbers<>(Long.class, longs, null))
        .addDeserializer(long.class, new WholeNumbers<>(long.class, longs, 0L));
  }

  /** What a field has that is left out. */
  @Override
  public @Nullable Object getNullValue(DeserializationContext context) {
    return absent;
  }

  @Override
  public T deserialize(JsonParser parser, DeserializationContext context) {
    JsonToken token = parser.currentToken();
    boolean number = token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT;
    if (number) {
      BigDecimal value = parser.getDecimalValue();
      // 1e999999999 would take all memory to write out.
      if (Math.abs((long) value.precision() - value.scale()) <= MOST_DIGITS) {
        try {
          return exact.apply(value);
        } catch (ArithmeticException e) {
          // Said below.
        }
      }
    }
    @SuppressWarnings("unchecked")
    T never = (T) context.handleUnexpectedToken(getValueType(context), parser);
    return never;
  }
}
