package dev.atoll.engine.net;

import dev.atoll.model.Cidr;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that are not of the public internet, after IANA's registries of special-purpose
 * addresses. An IPv6 address that carries an IPv4 address is as forbidden as that one is.
 */
final class ForbiddenRanges {
  private record Range(Cidr block, String name) {}

  private static final List<Range> RANGES =
      List.of(
          range("0.0.0.0/8", "reserved"),
          range("10.0.0.0/8", "private"),
          range("100.64.0.0/10", "carrier-private"),
          range("127.0.0.0/8", "loopback"),
          range("169.254.0.0/16", "link-local"),
          range("172.16.0.0/12", "private"),
          range("192.0.0.0/24", "reserved"),
          range("192.0.2.0/24", "documentation"),
          range("192.88.99.0/24", "reserved"),
          range("192.168.0.0/16", "private"),
          range("198.18.0.0/15", "benchmarking"),
          range("198.51.100.0/24", "documentation"),
          range("203.0.113.0/24", "documentation"),
          // The one metadata service that lives at a public address.
          range("168.63.129.16", "metadata"),
          range("224.0.0.0/4", "multicast"),
          range("240.0.0.0/4", "reserved"),
          range("::1", "loopback"),
          range("fc00::/7", "private"),
          range("fe80::/10", "link-local"),
          range("fec0::/10", "private"),
          range("ff00::/8", "multicast"),
          // Assignments of the IETF, Teredo among them.
          range("2001::/23", "reserved"),
          range("2001:db8::/32", "documentation"),
          range("3fff::/20", "documentation"));

  private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");
  private static final Cidr TRANSLATED = Cidr.parse("64:ff9b::/96");

  private ForbiddenRanges() {}

  private static Range range(String block, String name) {
    return new Range(Cidr.parse(block), name);
  }

  /** What kind of forbidden address it is; null when it is public. */
  static @Nullable String of(InetAddress address) {
    for (Range range : RANGES) {
      if (range.block().contains(address)) {
        return range.name();
      }
    }
    return address instanceof Inet4Address ? null : ofIpv6(address);
  }

  private static @Nullable String ofIpv6(InetAddress address) {
    if (!TRANSLATED.contains(address) && !GLOBAL_UNICAST.contains(address)) {
      // Compatible, mapped and locally translated forms of IPv4 are out here too.
      return "reserved";
    }
    return CarriedAddresses.by(address).stream()
        .map(ForbiddenRanges::of)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }
}
