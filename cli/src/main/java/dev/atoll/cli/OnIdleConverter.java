package dev.atoll.cli;

import dev.atoll.model.OnIdle;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what idleness does. */
final class OnIdleConverter implements ITypeConverter<OnIdle> {
  @Override
  public OnIdle convert(String text) {
    try {
      return OnIdle.of(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + text + "' is neither hibernate nor terminate");
    }
  }
}
