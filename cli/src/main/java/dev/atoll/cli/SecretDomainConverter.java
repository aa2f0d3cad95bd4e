package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.SecretDomain;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads where a secret may go. */
final class SecretDomainConverter implements ITypeConverter<SecretDomain> {
  @Override
  public SecretDomain convert(String text) {
    try {
      return SecretDomain.parse(text);
    } catch (AtollException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not a domain such as example.com, *.example.com:8443 or"
              + " http://internal.example.com:8080");
    }
  }
}
