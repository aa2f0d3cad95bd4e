package dev.atoll.server.http;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Makes the head of a program's answer fit the address that the caller knows.
 *
 * <p>Below a path the program shares its origin with the API and with other sandboxes. There its
 * pages are put into a sandbox of the browser, without an origin, and what would speak for the
 * whole origin is left out.
 */
final class PortRewriting {
  private static final String SANDBOXED =
      "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";
  private static final Set<String> OF_THE_WHOLE_ORIGIN =
      Set.of(
          "clear-site-data",
          "service-worker-allowed",
          "strict-transport-security",
          "nel",
          "report-to",
          "reporting-endpoints",
          "origin-agent-cluster");
  private static final Pattern OWN =
      Pattern.compile("https?://(?:localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1?]):(\\d+)(.*)");
  private static final Pattern DOMAIN = Pattern.compile("(?i);\\s*domain=[^;]*");
  private static final Pattern PATH = Pattern.compile("(?i);\\s*path=([^;]*)");

  private final PortAddress address;

  PortRewriting(PortAddress address) {
    this.address = address;
  }

  void apply(HttpFields from, HttpFields.Mutable to) {
    Iterable<HttpField> fields = PortHead.endToEnd(from);
    fields.forEach(field -> to.remove(field.getName()));
    for (HttpField field : fields) {
      HttpField fitting = fit(field);
      if (fitting != null) {
        to.add(fitting);
      }
    }
    if (!address.byHost()) {
      to.add("Content-Security-Policy", SANDBOXED);
    }
  }

  private @Nullable HttpField fit(HttpField field) {
    // Where else the host can be found is not the program's to say.
    if (field.getLowerCaseName().equals("alt-svc")
        || (!address.byHost() && OF_THE_WHOLE_ORIGIN.contains(field.getLowerCaseName()))) {
      return null;
    }
    String value = field.getValue();
    if (value == null) {
      return field;
    }
    if (field.getHeader() == HttpHeader.LOCATION) {
      return new HttpField(HttpHeader.LOCATION, location(value));
    }
    if (field.getHeader() == HttpHeader.SET_COOKIE) {
      return PortGate.isOwnCookie(value)
          ? null
          : new HttpField(HttpHeader.SET_COOKIE, cookie(value));
    }
    return field;
  }

  /** A program that sends its caller on names the address that it knows itself. */
  private String location(String target) {
    Matcher own = OWN.matcher(target);
    boolean itself = own.matches() && own.group(1).equals(Integer.toString(address.port()));
    if (itself) {
      String path = own.group(2).isEmpty() ? "/" : own.group(2);
      return path.startsWith("/") ? address.prefix() + path : target;
    }
    boolean absolutePath = target.startsWith("/") && !target.startsWith("//");
    return absolutePath ? address.prefix() + target : target;
  }

  /** A cookie is for this port alone: not for the hosts beside it, nor for the paths beside it. */
  private String cookie(String cookie) {
    String ofHost = DOMAIN.matcher(cookie).replaceAll("");
    if (address.byHost()) {
      return ofHost;
    }
    Matcher path = PATH.matcher(ofHost);
    String below =
        path.find() && path.group(1).strip().startsWith("/") ? path.group(1).strip() : "/";
    return PATH.matcher(ofHost).replaceAll("") + "; Path=" + address.prefix() + below;
  }

  /** Whether the caller's own connection is encrypted, here or by a proxy in front. */
  static boolean isSecure(Request request) {
    String proto = request.getHeaders().get(HttpHeader.X_FORWARDED_PROTO);
    return proto == null ? request.isSecure() : proto.equalsIgnoreCase("https");
  }
}
