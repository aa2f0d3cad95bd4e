package dev.atoll.server.http;

import dev.atoll.engine.Ports;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests through to ports: everybody to a public one, otherwise who has a key of the
 * sandbox's project or a share of that port.
 *
 * <p>A browser shows a token once, in the address, and keeps it as a cookie of the port's own host.
 * A path has no cookie, for its host is that of the API.
 */
final class PortGate {
  static final String HEADER = "X-Atoll-Token";
  static final String COOKIE = "atoll_port";

  private final Ports ports;
  private final Authentication keys;

  PortGate(Ports ports, Authentication keys) {
    this.ports = ports;
    this.keys = keys;
  }

  /**
   * Who was let in.
   *
   * @param remember whether to keep the token as a cookie and take it out of the address
   */
  record Pass(String project, String sandbox, boolean remember) {}

  Pass admit(Request request, PortAddress address) {
    String owner = ports.projectOf(address.sandbox()).orElse(null);
    if (owner != null && ports.isPublic(address.sandbox(), address.port())) {
      return new Pass(owner, address.sandbox(), false);
    }
    String key = PortCredentials.key(request.getHeaders());
    if (key != null) {
      return new Pass(keys.ownerOfKey(key).project(), address.sandbox(), false);
    }
    List<String> cookies = address.byHost() ? cookies(request) : List.of();
    String shown = address.token() == null ? request.getHeaders().get(HEADER) : address.token();
    if (shown != null) {
      Optional<Pass> pass = byToken(address, shown);
      // An old address that is followed again must not lock out who is in already.
      if (pass.isPresent() || cookies.isEmpty()) {
        boolean remember = address.token() != null && address.byHost() && navigates(request);
        return pass.map(p -> new Pass(p.project(), p.sandbox(), remember))
            .orElseThrow(() -> refused("the token is not good for this port"));
      }
    }
    Pass pass =
        cookies.stream()
            .flatMap(cookie -> byToken(address, cookie).stream())
            .findFirst()
            .orElseThrow(
                () ->
                    refused(
                        cookies.isEmpty()
                            ? "this port is private"
                            : "the token of this visit is no longer good"));
    requireOwnPage(request);
    return pass;
  }

  private Optional<Pass> byToken(PortAddress address, String token) {
    return ports
        .opens(token)
        .filter(grant -> grant.port() == address.port())
        .filter(
            grant ->
                grant.sandbox().equals(address.sandbox())
                    || named(grant.project(), address.sandbox()).equals(grant.sandbox()))
        .map(grant -> new Pass(grant.project(), grant.sandbox(), false));
  }

  private String named(String project, String name) {
    try {
      return ports.idOf(project, name);
    } catch (AtollException e) {
      return "";
    }
  }

  private static AtollException refused(String message) {
    return new AtollException(
        ErrorCode.UNAUTHENTICATED,
        message,
        "Get a fresh address with `atoll open SANDBOX PORT`, or send an API key, or a token in the"
            + " header "
            + HEADER
            + ". A token is good until it expires, is revoked, or its sandbox ends.");
  }

  /** Several of that name can come, if another host of the domain has set one. */
  private static List<String> cookies(Request request) {
    return Request.getCookies(request).stream()
        .filter(cookie -> cookie.getName().equals(COOKIE))
        .map(HttpCookie::getValue)
        .toList();
  }

  /** Whether a person is on the way to a page, and not a program to some content. */
  private static boolean navigates(Request request) {
    HttpFields headers = request.getHeaders();
    String mode = headers.get("Sec-Fetch-Mode");
    return request.getMethod().equals("GET")
        && !headers.contains(HttpHeader.UPGRADE)
        && (mode == null ? PortPage.wanted(request) : mode.equals("navigate"));
  }

  /**
   * A cookie comes with every request of the browser, also with those that the page of another
   * sandbox makes. Such a page may link here, and that is all.
   */
  private static void requireOwnPage(Request request) {
    HttpFields headers = request.getHeaders();
    String site = headers.get("Sec-Fetch-Site");
    String origin = headers.get(HttpHeader.ORIGIN);
    boolean own =
        site == null
            ? origin == null || isOwn(request, origin)
            : site.equals("same-origin") || site.equals("none") || navigates(request);
    if (!own) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          "a page from another origin may not use this visit",
          "Let it send a token of its own in the header " + HEADER + ".");
    }
  }

  static boolean isOwn(Request request, String origin) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    String name = host == null ? request.getHttpURI().getAuthority() : host;
    return Stream.of("http://", "https://")
        .anyMatch(scheme -> origin.equalsIgnoreCase(scheme + name));
  }

  /** The cookie that stands for a token from now on. */
  static HttpField remembered(String token, boolean secure) {
    return new HttpField(
        HttpHeader.SET_COOKIE,
        COOKIE + "=" + token + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : ""));
  }

  /** Whether a Set-Cookie of the program is about the gate's own cookie. */
  static boolean isOwnCookie(@Nullable String setCookie) {
    return setCookie != null && setCookie.strip().toLowerCase(Locale.ROOT).startsWith(COOKIE + "=");
  }
}
