package dev.atoll.server.http;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Which port of which sandbox, or which service, a request is for, and what it asks of the program
 * there.
 *
 * @param sandbox an id, or in a path also a name; of a service when the port is 0
 * @param prefix what stands before the program's own paths; empty when the port is a host
 * @param path the program's path as it came, still percent-encoded
 * @param query the query as it came, without a token to the port
 * @param token the token in the query
 */
record PortAddress(
    String sandbox,
    int port,
    String prefix,
    String path,
    @Nullable String query,
    @Nullable String token) {
  private static final String TOKEN = "atoll_token=";

  /** The port of a service is known only once one of its instances has been found. */
  private static final String SERVICE = "0";

  private static final Pattern PATH =
      Pattern.compile("(/v1/sandboxes/([A-Za-z0-9._-]{1,64})/ports/([1-9][0-9]{0,4}))(/.*)");

  /** Names of hosts have no underscore, so the one in an id may be written as a hyphen. */
  private static final Pattern LABEL = Pattern.compile("([1-9][0-9]{0,4})-sbx[_-]([a-z0-9]{1,40})");

  private static final Pattern SERVICE_PATH =
      Pattern.compile("(/services/([A-Za-z0-9._-]{1,64}))(/.*)");

  private static final Pattern SERVICE_LABEL = Pattern.compile("svc[_-]([a-z0-9]{1,40})");

  /** The address, or null when the request is for the API itself. */
  static @Nullable PortAddress of(Request request, PortDomain domain) {
    HttpURI uri = request.getHttpURI();
    String path = uri.getPath();
    if (path == null || !path.startsWith("/")) {
      return null;
    }
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    if (host.endsWith("." + domain.name())) {
      String label = host.substring(0, host.length() - domain.name().length() - 1);
      Matcher named = LABEL.matcher(label);
      if (named.matches()) {
        return of("sbx_" + named.group(2), named.group(1), "", path, uri.getQuery());
      }
      Matcher service = SERVICE_LABEL.matcher(label);
      if (service.matches()) {
        return of("svc_" + service.group(1), SERVICE, "", path, uri.getQuery());
      }
    }
    Matcher below = PATH.matcher(path);
    if (below.matches()) {
      return of(below.group(2), below.group(3), below.group(1), below.group(4), uri.getQuery());
    }
    Matcher service = SERVICE_PATH.matcher(path);
    return service.matches()
        ? of(service.group(2), SERVICE, service.group(1), service.group(3), uri.getQuery())
        : null;
  }

  private static @Nullable PortAddress of(
      String sandbox, String port, String prefix, String path, @Nullable String query) {
    int number = Integer.parseInt(port);
    if (number > 65_535) {
      return null;
    }
    String token = null;
    StringBuilder rest = new StringBuilder();
    for (String pair : query == null ? new String[0] : query.split("&", -1)) {
      if (pair.startsWith(TOKEN)) {
        token = pair.substring(TOKEN.length());
      } else {
        rest.append(rest.isEmpty() ? "" : "&").append(pair);
      }
    }
    boolean asked = query != null && (token == null || !rest.isEmpty());
    return new PortAddress(sandbox, number, prefix, path, asked ? rest.toString() : null, token);
  }

  /** Whether it is a service, whose port depends on the revision that answers. */
  boolean isService() {
    return port == 0;
  }

  PortAddress at(int newPort) {
    return new PortAddress(sandbox, newPort, prefix, path, query, token);
  }

  /** What it is called in messages. */
  String what() {
    return isService() ? "service" : "port";
  }

  /** The command that gives an address with a token. */
  String opening() {
    return isService() ? "atoll services share NAME" : "atoll open SANDBOX PORT";
  }

  /** Whether the port is a host of its own, so that its pages are apart from all others. */
  boolean byHost() {
    return prefix.isEmpty();
  }

  /** What the program is asked for. */
  String target() {
    return query == null ? path : path + "?" + query;
  }

  /** The address of a port as a host; with a token, who follows it is let in. */
  static String url(Exchange exchange, String id, int port, @Nullable String token) {
    return url(exchange, port + "-" + id, token);
  }

  /** The address of a service as a host; with a token, who follows it is let in. */
  static String url(Exchange exchange, String label, @Nullable String token) {
    PortDomain domain = exchange.config().ports();
    HttpURI own = exchange.request().getHttpURI();
    String scheme = domain.scheme() == null ? own.getScheme() : domain.scheme();
    Integer at = domain.port();
    if (at == null && domain.scheme() == null && own.getPort() > 0) {
      at = own.getPort();
    }
    return "%s://%s.%s%s/%s"
        .formatted(
            scheme,
            label.replace('_', '-'),
            domain.name(),
            at == null ? "" : ":" + at,
            token == null ? "" : "?" + TOKEN + token);
  }
}
