package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NearestName;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request: only known ones, each at most once. */
final class Query {
  private static final int MAX_PATH = 4095;

  private final Map<String, String> values;

  private Query(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Parses a raw query.
   *
   * @param known names that are allowed; one that ends in a dot allows everything that starts so
   */
  static Query parse(@Nullable String raw, Set<String> known) {
    if (raw == null || raw.isEmpty()) {
      return new Query(Map.of());
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : raw.split("&", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String name = PercentCoding.decode(equals < 0 ? pair : pair.substring(0, equals), true);
      String value = equals < 0 ? "" : PercentCoding.decode(pair.substring(equals + 1), true);
      requireKnown(name, known);
      if (values.put(name, value) != null) {
        throw invalid(name, "is given more than once");
      }
    }
    return new Query(values);
  }

  @Nullable String text(String name) {
    String value = values.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** What is no text; empty, it is neither a value nor left out. */
  private @Nullable String typed(String name) {
    String value = values.get(name);
    if (value != null && value.isEmpty()) {
      throw invalid(name, "is empty");
    }
    return value;
  }

  /** A path inside a sandbox, which must be given. */
  String path() {
    String path = text("path");
    if (path == null) {
      throw invalid("path", "must be given");
    }
    if (path.length() > MAX_PATH) {
      throw invalid("path", "is longer than " + MAX_PATH + " characters");
    }
    if (path.indexOf(0) >= 0) {
      throw invalid("path", "must not hold a NUL character");
    }
    return path;
  }

  /** An id or a name, if it is given. */
  @Nullable String name(String parameter) {
    String value = text(parameter);
    if (value != null && !Names.valid(value)) {
      throw invalid(parameter, "is neither an id nor a name");
    }
    return value;
  }

  /** An id or a name, which must be given. */
  String requiredName(String parameter) {
    String value = name(parameter);
    if (value == null) {
      throw invalid(parameter, "must be given");
    }
    return value;
  }

  /** Constants by their names on the wire, with commas between them; none when it is not given. */
  <E extends Enum<E>> Set<E> choices(String name, Class<E> type, Function<E, String> wire) {
    Set<E> chosen = EnumSet.noneOf(type);
    String list = text(name);
    for (String one : list == null ? new String[0] : list.split(",", -1)) {
      chosen.add(choice(name, one.strip(), type, wire));
    }
    return chosen;
  }

  /** A constant by its name on the wire, if it is given. */
  <E extends Enum<E>> @Nullable E choice(String name, Class<E> type, Function<E, String> wire) {
    String value = typed(name);
    return value == null ? null : choice(name, value, type, wire);
  }

  private static <E extends Enum<E>> E choice(
      String name, String value, Class<E> type, Function<E, String> wire) {
    E[] all = type.getEnumConstants();
    return Arrays.stream(all)
        .filter(constant -> wire.apply(constant).equals(value))
        .findFirst()
        .orElseThrow(
            () ->
                invalid(
                    name,
                    "has \""
                        + value
                        + "\", possible are "
                        + Arrays.stream(all).map(wire).collect(Collectors.joining(", "))));
  }

  /** Yes, no, or not said. */
  @Nullable Boolean flag(String name) {
    return values.containsKey(name) ? (Boolean) flag(name, false) : null;
  }

  boolean flag(String name, boolean byDefault) {
    return switch (values.get(name)) {
      case null -> byDefault;
      case "true", "" -> true;
      case "false" -> false;
      default -> throw invalid(name, "must be true or false");
    };
  }

  long number(String name, long byDefault, long least, long most) {
    String value = typed(name);
    if (value == null) {
      return byDefault;
    }
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(name, "is \"" + value + "\", must be a whole number");
    }
    throw invalid(name, "is " + value + ", must be between " + least + " and " + most);
  }

  /** A moment, if it is given. */
  @Nullable Instant time(String name) {
    String value = typed(name);
    try {
      return value == null ? null : Instant.parse(value);
    } catch (DateTimeParseException e) {
      throw invalid(name, "is \"" + value + "\", must be a time such as 2026-11-15T09:30:00Z");
    }
  }

  double seconds(String name, double byDefault, double most) {
    String value = typed(name);
    if (value == null) {
      return byDefault;
    }
    try {
      double number = Double.parseDouble(value);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw invalid(name, "is \"" + value + "\", must be a number of seconds");
    }
    throw invalid(name, "is " + value + ", must be between 0 and " + most);
  }

  /** All parameters that start with a prefix, without it. */
  Map<String, String> startingWith(String prefix) {
    Map<String, String> found = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            found.put(name.substring(prefix.length()), value);
          }
        });
    return found;
  }

  static AtollException invalid(String name, String rule) {
    return new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "query parameter " + name + " " + rule,
        null,
        Map.of("field", name),
        null);
  }

  private static void requireKnown(String name, Set<String> known) {
    if (known.contains(name) && !name.endsWith(".")) {
      return;
    }
    for (String prefix : known) {
      if (prefix.endsWith(".") && name.startsWith(prefix) && name.length() > prefix.length()) {
        return;
      }
    }
    throw new AtollException(
        ErrorCode.UNKNOWN_FIELD,
        "there is no query parameter \"" + name + "\" here",
        known.isEmpty()
            ? "This operation takes no query parameters."
            : NearestName.hint(name, known),
        Map.of("field", name),
        null);
  }
}
