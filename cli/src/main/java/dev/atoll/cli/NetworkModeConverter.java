package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.NetworkMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a network mode. */
final class NetworkModeConverter implements ITypeConverter<NetworkMode> {
  @Override
  public NetworkMode convert(String text) {
    try {
      return NetworkMode.of(text);
    } catch (AtollException e) {
      throw new TypeConversionException("'" + text + "' is not none, packages, allowlist or open");
    }
  }
}
