package dev.atoll.engine.inject;

import java.util.List;
import java.util.Locale;

/**
 * The headers that are for credentials: {@code Authorization}, and those whose names end as the
 * names of such headers do. Hosts take care of what stands there; elsewhere they may show it, log
 * it or keep it for others to see.
 */
final class CredentialHeaders {
  private static final List<String> ENDINGS = List.of("api-key", "apikey", "token");

  private CredentialHeaders() {}

  static boolean has(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.equals("authorization") || ENDINGS.stream().anyMatch(lower::endsWith);
  }
}
