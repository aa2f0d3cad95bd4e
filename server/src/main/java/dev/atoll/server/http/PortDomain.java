package dev.atoll.server.http;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name below which ports of sandboxes are reached as hosts of their own.
 *
 * @param name such as {@code localhost}, below which browsers look for everything on their own
 *     machine
 * @param scheme how callers reach it; null when as they reach the API
 * @param port where callers reach it; null when as they reach the API, or by the scheme
 */
public record PortDomain(String name, @Nullable String scheme, @Nullable Integer port) {
  private static final Pattern FORM =
      Pattern.compile("(?:(https?)://)?([a-z0-9]([a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?/?");

  /** Reads {@code localhost}, {@code apps.example.com} or {@code https://apps.example.com:8443}. */
  public static PortDomain parse(String text) {
    Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "ports.domain is \"%s\", must be a name such as localhost or https://apps.example.com"
              .formatted(text));
    }
    return new PortDomain(
        form.group(2),
        form.group(1),
        form.group(4) == null ? null : Integer.valueOf(form.group(4)));
  }
}
