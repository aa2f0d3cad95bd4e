package dev.atoll.engine.net;

import dev.atoll.model.Cidr;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * The IPv4 addresses that an IPv6 address carries, so that somebody on the way may send to them
 * what was sent to it: mapped and compatible forms, translation (NAT64), 6to4, ISATAP and Teredo.
 * What is forbidden for an address is forbidden for all that carry it.
 */
final class CarriedAddresses {
  private static final int TUNNELLED_AT = 2;
  private static final int LAST_AT = 12;
  private static final int TEREDO_SERVER_AT = 4;
  private static final int IPV4_BYTES = 4;

  private static final List<Cidr> IN_THE_LAST_BYTES =
      List.of(
          Cidr.parse("::/96"),
          Cidr.parse("::ffff:0:0:0/96"),
          Cidr.parse("64:ff9b::/96"),
          Cidr.parse("64:ff9b:1::/48"));
  private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
  private static final Cidr TEREDO = Cidr.parse("2001::/32");

  private CarriedAddresses() {}

  /** None for an IPv4 address, and for an IPv6 address that stands for itself alone. */
  static List<InetAddress> by(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == IPV4_BYTES) {
      return List.of();
    }
    List<InetAddress> carried = new ArrayList<>(2);
    if (isMapped(bytes) || isIsatap(bytes) || isIn(IN_THE_LAST_BYTES, address)) {
      carried.add(at(bytes, LAST_AT, 0));
    }
    if (SIX_TO_FOUR.contains(address)) {
      carried.add(at(bytes, TUNNELLED_AT, 0));
    }
    if (TEREDO.contains(address)) {
      carried.add(at(bytes, TEREDO_SERVER_AT, 0));
      // The client's address has all its bits turned.
      carried.add(at(bytes, LAST_AT, 0xff));
    }
    return carried;
  }

  private static boolean isIn(List<Cidr> blocks, InetAddress address) {
    return blocks.stream().anyMatch(block -> block.contains(address));
  }

  /** Java makes an IPv4 address of these by itself, unless one is made with a scope. */
  private static boolean isMapped(byte[] bytes) {
    for (int i = 0; i < 10; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
  }

  private static boolean isIsatap(byte[] bytes) {
    return (bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == (byte) 0xfe;
  }

  private static InetAddress at(byte[] bytes, int at, int turned) {
    byte[] ipv4 = new byte[IPV4_BYTES];
    for (int i = 0; i < IPV4_BYTES; i++) {
      ipv4[i] = (byte) (bytes[at + i] ^ turned);
    }
    try {
      return InetAddress.getByAddress(ipv4);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
