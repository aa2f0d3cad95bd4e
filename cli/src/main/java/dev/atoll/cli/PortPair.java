package dev.atoll.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A port of this machine and the port of a sandbox that it is to stand for.
 *
 * @param local 0 for any free one
 */
record PortPair(int local, int remote) {
  private static final Pattern FORM = Pattern.compile("(?:([0-9]{1,5}):)?([0-9]{1,5})");
  private static final int HIGHEST = 65_535;

  /** Reads {@code 8080:3000}, or {@code 3000} for the same on both sides. */
  static final class Converter implements ITypeConverter<PortPair> {
    @Override
    public PortPair convert(String text) {
      Matcher form = FORM.matcher(text);
      if (form.matches()) {
        int remote = Integer.parseInt(form.group(2));
        int local = form.group(1) == null ? remote : Integer.parseInt(form.group(1));
        if (remote >= 1 && remote <= HIGHEST && local <= HIGHEST) {
          return new PortPair(local, remote);
        }
      }
      throw new TypeConversionException(
          "'" + text + "' is no pair of ports such as 8080:3000, and no port such as 3000");
    }
  }
}
