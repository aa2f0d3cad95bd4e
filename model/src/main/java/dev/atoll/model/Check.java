package dev.atoll.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The checks that the records make of themselves; each failure names the field. */
final class Check {
  private static final int MAX_VARIABLES = 256;
  private static final int MAX_VALUE = 32_768;

  private Check() {}

  static void that(boolean holds, String field, String rule) {
    if (!holds) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, field + " " + rule, null, Map.of("field", field), null);
    }
  }

  static void range(String field, @Nullable Number value, double least, double most) {
    if (value == null) {
      return;
    }
    double number = value.doubleValue();
    that(
        number >= least && number <= most,
        field,
        "is " + value + ", must be between " + plain(least) + " and " + plain(most));
  }

  static void port(String field, int port) {
    range(field, port, 1, 65_535);
  }

  static Map<String, String> environment(String field, Map<String, String> variables) {
    that(variables.size() <= MAX_VARIABLES, field, "has more than " + MAX_VARIABLES + " entries");
    variables.forEach(
        (name, value) -> {
          that(
              name.matches("[a-zA-Z_][a-zA-Z0-9_]{0,255}"),
              field,
              "has a name that is no variable name: " + name);
          text(field, name, value);
        });
    return Map.copyOf(variables);
  }

  static Map<String, String> labels(String field, Map<String, String> labels) {
    that(labels.size() <= MAX_VARIABLES, field, "has more than " + MAX_VARIABLES + " entries");
    labels.forEach(
        (name, value) -> {
          that(
              !name.isEmpty() && name.length() <= 256,
              field,
              "has a key that is empty or longer than 256");
          text(field, name, value);
        });
    return Map.copyOf(labels);
  }

  static void path(String field, String path) {
    that(path != null && !path.isEmpty(), field, "must not be empty");
    that(path.length() <= 4095, field, "is longer than 4095 characters");
    that(path.indexOf(0) < 0, field, "must not hold a NUL character");
  }

  private static void text(String field, String name, String value) {
    that(value != null, field, "has no value for " + name);
    that(
        value.length() <= MAX_VALUE,
        field,
        "has a value longer than " + MAX_VALUE + " for " + name);
    that(value.indexOf(0) < 0, field, "has a NUL character in the value of " + name);
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
