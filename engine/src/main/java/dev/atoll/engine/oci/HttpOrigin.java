package dev.atoll.engine.oci;

import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whom one speaks to: credentials for one origin are for no other. */
record HttpOrigin(String scheme, String host, int port) {
  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  /** The origin of an address that a stranger may have written. */
  static HttpOrigin of(URI uri) throws IOException {
    String scheme = lower(uri.getScheme());
    boolean tls = scheme.equals("https");
    if ((!tls && !scheme.equals("http")) || uri.getHost() == null || uri.getUserInfo() != null) {
      throw new IOException(
          "the registry names an address of another kind: " + ImageRefused.quoted(uri.toString()));
    }
    int port = uri.getPort() > 0 ? uri.getPort() : tls ? HTTPS : HTTP;
    return new HttpOrigin(scheme, lower(uri.getHost()), port);
  }

  boolean encrypted() {
    return scheme.equals("https");
  }

  private static String lower(@Nullable String text) {
    return text == null ? "" : text.toLowerCase(Locale.ROOT);
  }

  /** The host, with its port unless it is the usual one. */
  @Override
  public String toString() {
    return port == (encrypted() ? HTTPS : HTTP) ? host : host + ":" + port;
  }
}
