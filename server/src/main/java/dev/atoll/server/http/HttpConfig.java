package dev.atoll.server.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;

/**
 * How the server listens.
 *
 * @param host address to bind
 * @param port 0: any free one
 * @param maxBody the largest JSON body, in bytes; file uploads are not limited by it
 * @param allowedHosts further values of the Host header that are accepted; {@code *.example.com}
 *     stands for every name below, {@code *} for all
 * @param insecureBind allows an address that others can reach, although there is no TLS
 * @param idleTimeout after which a silent connection is closed
 * @param pingInterval how long a stream may be silent before a ping is sent
 * @param ports below which name the ports of sandboxes are reached
 */
public record HttpConfig(
    String host,
    int port,
    long maxBody,
    List<String> allowedHosts,
    boolean insecureBind,
    Duration idleTimeout,
    Duration pingInterval,
    PortDomain ports) {
  private static final long MAX_BODY = 1L << 30;

  public HttpConfig {
    require(port >= 0 && port <= 65_535, "server.port is " + port + ", must be 0 to 65535");
    require(
        maxBody >= 1024 && maxBody <= MAX_BODY, "server.max-body must be between 1 KiB and 1 GiB");
    require(idleTimeout.toMillis() >= 100, "server.idle-timeout must be 100 ms or more");
    require(pingInterval.toMillis() >= 10, "server.ping-interval must be 10 ms or more");
    require(
        insecureBind || isLoopback(host),
        "server.host is "
            + host
            + ", which others can reach, and this server speaks no TLS. Bind 127.0.0.1 and put a"
            + " TLS proxy in front, or set server.insecure-bind=true if the network is trusted");
    allowedHosts = List.copyOf(allowedHosts);
  }

  /** Whether only this machine can reach the server. */
  public boolean loopback() {
    return isLoopback(host);
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("server.host " + host + " does not resolve", e);
    }
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
