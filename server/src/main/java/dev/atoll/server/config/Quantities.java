package dev.atoll.server.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as people write them. */
final class Quantities {
  private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([a-z]*)");
  private static final Map<String, Long> BYTES =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("b", 1L),
          Map.entry("k", 1L << 10),
          Map.entry("kb", 1000L),
          Map.entry("kib", 1L << 10),
          Map.entry("m", 1L << 20),
          Map.entry("mb", 1_000_000L),
          Map.entry("mib", 1L << 20),
          Map.entry("g", 1L << 30),
          Map.entry("gb", 1_000_000_000L),
          Map.entry("gib", 1L << 30));
  private static final Map<String, Long> NANOS =
      Map.of(
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "min", 60_000_000_000L,
          "h", 3_600_000_000_000L,
          "d", 86_400_000_000_000L);

  private Quantities() {}

  static long size(String text) {
    return scaled(text, BYTES);
  }

  static Duration duration(String text) {
    return text.startsWith("P") ? Duration.parse(text) : Duration.ofNanos(scaled(text, NANOS));
  }

  private static long scaled(String text, Map<String, Long> units) {
    Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
    Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(text);
    }
    try {
      return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
