package dev.atoll.engine.net;

import dev.atoll.model.AtollException;
import dev.atoll.model.Cidr;
import java.net.InetAddress;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A host that packages come from.
 *
 * @param host a name in lower case, or an address
 * @param source where it was read, for people
 * @param trusted whether the server's own configuration names it, so that it may be at a private
 *     address
 */
public record Registry(String host, int port, String source, boolean trusted) {
  public Registry {
    Objects.requireNonNull(host);
    Objects.requireNonNull(source);
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port);
    }
  }

  /** The registry behind an address on the web; null when it is none. */
  static @Nullable Registry of(URI uri, String source, boolean trusted) {
    String scheme = uri.getScheme();
    String host = uri.getHost();
    if (scheme == null || host == null || !scheme.toLowerCase(Locale.ROOT).matches("https?")) {
      return null;
    }
    int usual = scheme.equalsIgnoreCase("https") ? 443 : 80;
    int port = uri.getPort() < 0 ? usual : uri.getPort();
    if (port < 1 || port > 65_535) {
      return null;
    }
    String name = host.toLowerCase(Locale.ROOT).replaceAll("^\\[|\\]$|\\.$", "");
    try {
      if (!Cidr.isLiteral(name)) {
        return new Registry(name, port, source, trusted);
      }
      InetAddress address = Cidr.literal(name);
      // Some tools write 0.0.0.0 for nowhere, but a connection to it ends at the server itself.
      return address.isAnyLocalAddress()
          ? null
          : new Registry(address.getHostAddress(), port, source, trusted);
    } catch (AtollException e) {
      return null;
    }
  }
}
