package dev.atoll.cli;

import java.util.Locale;

/** Numbers of bytes as people say them. */
final class Bytes {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

  private Bytes() {}

  static String brief(long count) {
    if (count < 1024) {
      return count + " B";
    }
    double value = count / 1024.0;
    int unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    String form = value < 9.95 ? "%.1f %s" : "%.0f %s";
    return String.format(Locale.ROOT, form, value, UNITS[unit]);
  }
}
