package dev.atoll.server.http;

import dev.atoll.engine.Doors;
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
 * Lets requests through to ports and services: everybody to a public one, otherwise who has a key
 * of the project or a share of it.
 *
 * <p>A browser shows a token once, in the address, and keeps it as a cookie of the port's own host.
 * A path has no cookie, for its host is that of the API.
 */
final class PortGate {
  static final String HEADER = "X-Atoll-Token";
  static final String COOKIE = "atoll_port";

  private final Doors doors;
  private final Authentication keys;

  PortGate(Doors doors, Authentication keys) {
    this.doors = doors;
    this.keys = keys;
  }

  /**
   * Who was let in.
   *
   * @param remember whether to keep the token as a cookie and take it out of the address
   */
  record Pass(String project, String sandbox, boolean remember) {}

  Pass admit(Request request, PortAddress address) {
    String owner = doors.projectOf(address.sandbox()).orElse(null);
    if (owner != null && doors.isPublic(address.sandbox(), address.port())) {
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
            .orElseThrow(() -> refused(address, "the token is not good for this"));
      }
    }
    Pass pass =
        cookies.stream()
            .flatMap(cookie -> byToken(address, cookie).stream())
            .findFirst()
            .orElseThrow(
                () ->
                    refused(
                        address,
                        cookies.isEmpty()
                            ? "this %s is private".formatted(address.what())
                            : "the token of this visit is no longer good"));
    requireOwnPage(request);
    return pass;
  }

  private Optional<Pass> byToken(PortAddress address, String token) {
    return doors
        .opens(token)
        .filter(grant -> grant.port() == address.port())
        .filter(
            grant ->
                grant.id().equals(address.sandbox())
                    || named(grant.project(), address.sandbox()).equals(grant.id()))
        .map(grant -> new Pass(grant.project(), grant.id(), false));
  }

  private String named(String project, String name) {
    try {
      return doors.idOf(project, name);
    } catch (AtollException e) {
      return "";
    }
  }

  private static AtollException refused(PortAddress address, String message) {
    return new AtollException(
        ErrorCode.UNAUTHENTICATED,
        message,
        "Get a fresh address with `%s`, or send an API key, or a token in the header %s. A token is"
                .formatted(address.opening(), HEADER)
            + " good until it expires, is revoked, or what it is for ends.");
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
