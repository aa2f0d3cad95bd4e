package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.NetworkRule;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a rule about hosts and ports. */
final class NetworkRuleConverter implements ITypeConverter<NetworkRule> {
  @Override
  public NetworkRule convert(String text) {
    try {
      return NetworkRule.parse(text);
    } catch (AtollException e) {
      throw new TypeConversionException(
          "'" + text + "' is not a rule such as example.com, *.example.com:443 or 10.0.0.0/8:5432");
    }
  }
}
