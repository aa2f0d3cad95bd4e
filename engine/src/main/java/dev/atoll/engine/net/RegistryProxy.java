package dev.atoll.engine.net;

import dev.atoll.engine.cache.RegistryWay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The package cache's way to registries: a proxy that is opened when it is first needed. */
final class RegistryProxy implements RegistryWay, ProxyGate, AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int REMEMBERED = 200;

  private final Resolver resolver;
  private final Dialer dialer;
  private final ProxyGate gate;
  private final Map<String, String> troubles =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > REMEMBERED;
        }
      };
  private @Nullable GuardedProxy opened;

  /**
   * @param gate decides where it goes
   */
  RegistryProxy(Resolver resolver, Dialer dialer, ProxyGate gate) {
    this.resolver = resolver;
    this.dialer = dialer;
    this.gate = gate;
  }

  @Override
  public synchronized ProxySelector proxy() throws IOException {
    GuardedProxy proxy = opened;
    if (proxy == null) {
      proxy = new GuardedProxy(resolver, dialer, this, CONNECT);
      opened = proxy;
    }
    return ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()));
  }

  @Override
  public @Nullable String trouble(URI address) {
    String host = String.valueOf(address.getHost()).toLowerCase(Locale.ROOT);
    synchronized (troubles) {
      return troubles.get(host + ":" + port(address));
    }
  }

  /** The port that is meant where none is named. */
  static int port(URI address) {
    return address.getPort() > 0
        ? address.getPort()
        : "https".equals(address.getScheme()) ? 443 : 80;
  }

  @Override
  public List<InetAddress> pass(Target target, boolean tls, Supplier<List<InetAddress>> lookup)
      throws Refused {
    return gate.pass(target, tls, lookup);
  }

  @Override
  public void ended(Target target, @Nullable String trouble) {
    synchronized (troubles) {
      if (trouble == null) {
        troubles.remove(target.toString());
      } else {
        troubles.put(target.toString(), trouble);
      }
    }
  }

  @Override
  public synchronized void close() {
    GuardedProxy proxy = opened;
    if (proxy != null) {
      proxy.close();
    }
  }
}
