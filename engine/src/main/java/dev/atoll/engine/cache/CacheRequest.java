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
 * What a package manager asks for: GET or HEAD, without a body.
 *
 * @param authority the host that is asked for, where this one is taken for a proxy; else empty
 * @param path decoded, from its first slash, without a query
 * @param headers by lower-case name
 */
record CacheRequest(
    String method, String authority, String path, Map<String, String> headers, boolean keepAlive) {
  private static final int MAX_HEAD = 16 << 10;

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
    boolean body =
        headers.containsKey("transfer-encoding")
            || !headers.getOrDefault("content-length", "0").equals("0");
    if (body) {
      throw new ProtocolException("a request with a body");
    }
    String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
    boolean keep =
        first[2].equals("HTTP/1.1") ? !connection.contains("close") : connection.contains("keep");
    int host = first[1].startsWith("/") ? 0 : first[1].indexOf('/', "http://".length());
    String authority = host == 0 ? "" : first[1].substring("http://".length(), host);
    return new CacheRequest(first[0], authority, path(first[1].substring(host)), headers, keep);
  }

  private static String name(String line, int colon) {
    return line.substring(0, colon).toLowerCase(Locale.ROOT);
  }

  private static String value(String line, int colon) {
    return line.substring(colon + 1).strip();
  }

  private static String path(String target) throws IOException {
    int query = target.indexOf('?');
    String raw = query < 0 ? target : target.substring(0, query);
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

  boolean isHead() {
    return method.equals("HEAD");
  }
}
