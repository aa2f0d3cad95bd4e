package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Which names a caller may know this server by.
 *
 * <p>A page in a browser can make its own domain resolve to 127.0.0.1 and then talk to a local
 * server as if it were its origin. The Host header gives that away. Servers that listen to the
 * network are known by names that we cannot guess, so there only a configured list is enforced.
 */
final class AllowedHosts {
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  private final List<String> configured;
  private final boolean enforced;

  AllowedHosts(HttpConfig config) {
    configured = config.allowedHosts().stream().map(h -> h.toLowerCase(Locale.ROOT)).toList();
    enforced = config.loopback() || !configured.isEmpty();
  }

  void check(Request request) {
    HttpURI uri = request.getHttpURI();
    String host = uri.getHost();
    if (!allows(host)) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          "this server does not answer to the host name \"" + host + "\"",
          "Use 127.0.0.1 or localhost, or add the name to server.allowed-hosts.",
          Map.of(),
          null);
    }
  }

  boolean allows(@Nullable String host) {
    // Only HTTP/1.0 can leave the name out, and no browser speaks that.
    if (!enforced || host == null || host.isEmpty()) {
      return true;
    }
    String name = host.toLowerCase(Locale.ROOT);
    return LOCAL.contains(name) || configured.stream().anyMatch(rule -> matches(rule, name));
  }

  private static boolean matches(String rule, String name) {
    return rule.equals("*")
        || rule.equals(name)
        || (rule.startsWith("*.") && name.endsWith(rule.substring(1)));
  }
}
