package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.Installer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a package manager. */
final class InstallerConverter implements ITypeConverter<Installer> {
  @Override
  public Installer convert(String text) {
    try {
      return Installer.of(text);
    } catch (AtollException e) {
      throw new TypeConversionException("'" + text + "' is not pip, npm, apt, gem or cargo");
    }
  }
}
