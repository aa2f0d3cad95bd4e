package dev.atoll.engine.net;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The addresses of the server's own interfaces, looked up again from time to time. */
final class OwnAddresses implements Supplier<Set<InetAddress>> {
  private static final long FRESH_NANOS = Duration.ofSeconds(30).toNanos();

  private volatile Known known = look();

  private record Known(Set<InetAddress> addresses, long since) {}

  @Override
  public Set<InetAddress> get() {
    Known now = known;
    if (System.nanoTime() - now.since() > FRESH_NANOS) {
      now = look();
      known = now;
    }
    return now.addresses();
  }

  private static Known look() {
    try {
      Set<InetAddress> found =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .map(OwnAddresses::withoutScope)
              .collect(Collectors.toUnmodifiableSet());
      return new Known(found, System.nanoTime());
    } catch (SocketException e) {
      throw new IllegalStateException("the server's own addresses are not known", e);
    }
  }

  private static InetAddress withoutScope(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
