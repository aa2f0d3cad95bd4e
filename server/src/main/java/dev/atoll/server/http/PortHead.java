package dev.atoll.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * What a program behind a port is asked. It sees a request for {@code localhost} and its own port,
 * as if it came from its own machine, since development servers answer to no other name; the
 * address that the caller knows is in {@code X-Forwarded-Host}.
 */
final class PortHead {
  /** What concerns one connection and not the one behind it. */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  private final Request request;
  private final PortAddress address;

  PortHead(Request request, PortAddress address) {
    this.request = request;
    this.address = address;
  }

  /** Whether the caller wants to go on with another protocol, such as WebSocket. */
  boolean upgrades() {
    HttpFields headers = request.getHeaders();
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1
        && headers.contains(HttpHeader.UPGRADE)
        && headers.contains(HttpHeader.CONNECTION, "upgrade");
  }

  /** Whether a body follows. */
  boolean hasBody() {
    HttpFields headers = request.getHeaders();
    if (headers.contains(HttpHeader.CONTENT_LENGTH)) {
      return headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0;
    }
    boolean mayOmitLength =
        request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2
            && Set.of("POST", "PUT", "PATCH").contains(request.getMethod());
    return headers.contains(HttpHeader.TRANSFER_ENCODING) || mayOmitLength;
  }

  /** Whether the caller waits to be told to send the body. */
  boolean expectsContinue() {
    return hasBody() && request.getHeaders().contains(HttpHeader.EXPECT, "100-continue");
  }

  MetaData.Request toProgram() {
    HttpFields.Mutable headers = HttpFields.build();
    headers.add(HttpHeader.HOST, "localhost:" + address.port());
    for (HttpField field : endToEnd(request.getHeaders())) {
      if (field.getHeader() != HttpHeader.HOST && field.getHeader() != HttpHeader.ORIGIN) {
        headers.add(field);
      }
    }
    PortCredentials.remove(headers);
    forwarded(headers);
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null) {
      // The program's own page; others stay what they are, so that it can refuse them.
      boolean own = address.byHost() && PortGate.isOwn(request, origin);
      headers.add(HttpHeader.ORIGIN, own ? "http://localhost:" + address.port() : origin);
    }
    if (upgrades()) {
      headers.add(HttpHeader.CONNECTION, "Upgrade");
      request.getHeaders().getFields(HttpHeader.UPGRADE).forEach(headers::add);
    } else {
      headers.add(HttpHeader.CONNECTION, "close");
    }
    if (hasBody() && !headers.contains(HttpHeader.CONTENT_LENGTH)) {
      headers.add(HttpHeader.TRANSFER_ENCODING, "chunked");
    }
    return new MetaData.Request(
        0L,
        request.getMethod(),
        HttpURI.build().pathQuery(address.target()).asImmutable(),
        HttpVersion.HTTP_1_1,
        headers);
  }

  private void forwarded(HttpFields.Mutable headers) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    headers.put(
        HttpHeader.X_FORWARDED_HOST, host == null ? request.getHttpURI().getAuthority() : host);
    if (!headers.contains(HttpHeader.X_FORWARDED_PROTO)) {
      headers.put(HttpHeader.X_FORWARDED_PROTO, request.getHttpURI().getScheme());
    }
    String before = headers.get(HttpHeader.X_FORWARDED_FOR);
    String caller = Request.getRemoteAddr(request);
    headers.put(HttpHeader.X_FORWARDED_FOR, before == null ? caller : before + ", " + caller);
    headers.remove("X-Forwarded-Prefix");
    if (!address.byHost()) {
      headers.put("X-Forwarded-Prefix", address.prefix());
    }
  }

  /** The fields that are meant for the other end. */
  static List<HttpField> endToEnd(HttpFields headers) {
    List<String> named = headers.getCSV(HttpHeader.CONNECTION, false);
    return headers.stream()
        .filter(field -> !HOP_BY_HOP.contains(field.getLowerCaseName()))
        .filter(field -> !contains(named, field.getLowerCaseName()))
        .toList();
  }

  private static boolean contains(@Nullable List<String> named, String field) {
    return named != null && named.stream().anyMatch(n -> n.toLowerCase(Locale.ROOT).equals(field));
  }
}
