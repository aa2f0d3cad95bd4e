package dev.atoll.engine.cache;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a package manager asks for: GET or HEAD without a body, or one of npm's questions, which may
 * have one.
 *
 * @param authority the host that is asked for, where this one is taken for a proxy; else empty
 * @param path decoded, from its first slash, without a query
 * @param query as it came, without its mark
 * @param headers by lower-case name
 * @param body what comes after the head, still to be read; null when nothing does
 */
record CacheRequest(
    String method,
    String authority,
    String path,
    String query,
    Map<String, String> headers,
    @Nullable InputStream body,
    boolean keepAlive) {
  private static final int MAX_HEAD = 16 << 10;

  /** More than npm has to say about any project. */
  private static final int MAX_BODY = 8 << 20;

  private static final String MAY_HAVE_BODY = "/npm/-/";

  /** Reads the next request; null when there is none. */
  static @Nullable CacheRequest read(InputStream in) throws IOException {
    String head = head(in);
    if (head == null) {
      return null;
    }
    String[] lines = head.split("\r?\n", -1);
    String[] first = lines[0].split(" ", -1);
    if (first.length != 3
        || !first[2].matches("HTTP/1\\.[01]")
        || !first[1].matches("(?i)(http://[^/?#]+)?/.*")) {
      throw new ProtocolException("this is no request of HTTP/1.1");
    }
    Map<String, String> headers = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon > 0) {
        headers.put(name(lines[i], colon), value(lines[i], colon));
      }
    }
    String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
    boolean keep =
        first[2].equals("HTTP/1.1") ? !connection.contains("close") : connection.contains("keep");
    int host = first[1].startsWith("/") ? 0 : first[1].indexOf('/', "http://".length());
    String authority = host == 0 ? "" : first[1].substring("http://".length(), host);
    String target = first[1].substring(host);
    int mark = target.indexOf('?');
    String path = path(mark < 0 ? target : target.substring(0, mark));
    InputStream body = body(in, headers, authority.isEmpty() && path.startsWith(MAY_HAVE_BODY));
    return new CacheRequest(
        first[0], authority, path, mark < 0 ? "" : target.substring(mark + 1), headers, body, keep);
  }

  private static @Nullable InputStream body(
      InputStream in, Map<String, String> headers, boolean allowed) throws ProtocolException {
    String length = headers.getOrDefault("content-length", "0");
    boolean chunked = headers.containsKey("transfer-encoding");
    if (!chunked && length.equals("0")) {
      return null;
    }
    if (chunked || !allowed || !length.matches("[0-9]{1,8}")) {
      throw new ProtocolException("a request with a body");
    }
    int bytes = Integer.parseInt(length);
    if (bytes > MAX_BODY) {
      throw new ProtocolException("a request with more than " + MAX_BODY + " bytes");
    }
    return bytes == 0 ? null : new SentBody(in, bytes);
  }

  private static String name(String line, int colon) {
    return line.substring(0, colon).toLowerCase(Locale.ROOT);
  }

  private static String value(String line, int colon) {
    return line.substring(colon + 1).strip();
  }

  private static String path(String raw) throws IOException {
    try {
      // A plus is a plus in a path.
      return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ProtocolException("this is no path");
    }
  }

  private static @Nullable String head(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int ends = 0;
    for (int b = in.read(); ; b = in.read()) {
      if (b < 0) {
        if (bytes.size() == 0) {
          return null;
        }
        throw new EOFException("the request broke off");
      }
      if (bytes.size() == MAX_HEAD) {
        throw new ProtocolException("a request longer than " + MAX_HEAD + " bytes");
      }
      if (bytes.size() > 0 || (b != '\r' && b != '\n')) {
        bytes.write(b);
        ends = b == '\n' ? ends + 1 : b == '\r' ? ends : 0;
        if (ends == 2) {
          return bytes.toString(StandardCharsets.ISO_8859_1).strip();
        }
      }
    }
  }

  String header(String name) {
    return Objects.requireNonNullElse(headers.get(name), "");
  }

  /** Of the body. */
  long length() {
    return Long.parseLong(headers.getOrDefault("content-length", "0"));
  }

  /** Whether something of the body has not been read. */
  boolean isUnread() {
    return body instanceof SentBody sent && sent.left() > 0;
  }

  boolean isHead() {
    return method.equals("HEAD");
  }
}
