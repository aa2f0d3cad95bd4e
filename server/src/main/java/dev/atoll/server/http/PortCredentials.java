package dev.atoll.server.http;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * What in a request is meant for Atoll and must not reach the program behind a port. The program
 * may have keys of its own in the same headers; those are passed on.
 */
final class PortCredentials {
  private static final String KEY_PREFIX = "e2b_";
  private static final String BEARER = "Bearer ";
  private static final String KEY_HEADER = "X-API-Key";

  private PortCredentials() {}

  /** The API key, if there is one; other credentials are the program's. */
  static @Nullable String key(HttpFields headers) {
    String authorization = headers.get(HttpHeader.AUTHORIZATION);
    if (authorization != null && isKey(authorization)) {
      return authorization.substring(BEARER.length()).strip();
    }
    String key = headers.get(KEY_HEADER);
    return key != null && key.startsWith(KEY_PREFIX) ? key : null;
  }

  private static boolean isKey(String authorization) {
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        && authorization.substring(BEARER.length()).strip().startsWith(KEY_PREFIX);
  }

  /** Takes out what is Atoll's. */
  static void remove(HttpFields.Mutable headers) {
    headers.remove(PortGate.HEADER);
    String authorization = headers.get(HttpHeader.AUTHORIZATION);
    if (authorization != null && isKey(authorization)) {
      headers.remove(HttpHeader.AUTHORIZATION);
    }
    String key = headers.get(KEY_HEADER);
    if (key != null && key.startsWith(KEY_PREFIX)) {
      headers.remove(KEY_HEADER);
    }
    // HTTP/2 may have split the cookies over several fields.
    String cookies =
        headers.getValuesList(HttpHeader.COOKIE).stream()
            .flatMap(field -> Arrays.stream(field.split(";", -1)))
            .map(String::strip)
            .filter(cookie -> !cookie.isEmpty() && !cookie.startsWith(PortGate.COOKIE + "="))
            .collect(Collectors.joining("; "));
    headers.remove(HttpHeader.COOKIE);
    if (!cookies.isEmpty()) {
      headers.add(HttpHeader.COOKIE, cookies);
    }
  }
}
