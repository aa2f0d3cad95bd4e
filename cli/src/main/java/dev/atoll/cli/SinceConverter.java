package dev.atoll.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment, or how long ago it was. */
final class SinceConverter implements ITypeConverter<Instant> {
  @Override
  public Instant convert(String text) {
    return Durations.parse(text).map(Instant.now()::minus).orElseGet(() -> moment(text));
  }

  private static Instant moment(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is neither a duration such as 15m nor a time such as 2026-11-15T09:30:00Z");
    }
  }
}
