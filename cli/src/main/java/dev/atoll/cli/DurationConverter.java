package dev.atoll.cli;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@link Durations} for picocli. */
final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    return Durations.parse(text)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + text + "' is not a duration such as 90s, 15m or 2h"));
  }
}
