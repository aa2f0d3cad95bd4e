package dev.atoll.server.http;

import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpField;
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
    return headers.stream()
        .filter(PortCredentials::isOurs)
        .map(HttpField::getValue)
        .map(value -> value.startsWith(KEY_PREFIX) ? value : value.substring(BEARER.length()))
        .map(String::strip)
        .findFirst()
        .orElse(null);
  }

  /** Whether it holds an API key. A header may come more than once, so each field is looked at. */
  private static boolean isOurs(HttpField field) {
    String value = field.getValue();
    if (value == null) {
      return false;
    }
    return field.getHeader() == HttpHeader.AUTHORIZATION
        ? isKey(value)
        : field.getName().equalsIgnoreCase(KEY_HEADER) && value.startsWith(KEY_PREFIX);
  }

  private static boolean isKey(String authorization) {
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        && authorization.substring(BEARER.length()).strip().startsWith(KEY_PREFIX);
  }

  /** Takes out what is Atoll's. */
  static void remove(HttpFields.Mutable headers) {
    headers.remove(PortGate.HEADER);
    for (Iterator<HttpField> fields = headers.iterator(); fields.hasNext(); ) {
      if (isOurs(fields.next())) {
        fields.remove();
      }
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
