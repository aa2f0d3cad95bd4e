package dev.atoll.model;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A block of addresses, IPv4 or IPv6. An IPv4 block never holds an IPv6 address and the other way
 * round; an IPv4-mapped IPv6 address counts as IPv4.
 *
 * @param network the first address of the block
 * @param prefix how many leading bits all its addresses share
 */
public record Cidr(InetAddress network, int prefix) {
  private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final String IPV4 = OCTET + "(\\." + OCTET + "){3}";

  public Cidr {
    byte[] bytes = network.getAddress();
    Check.that(
        prefix >= 0 && prefix <= bytes.length * 8,
        "prefix",
        "is " + prefix + ", must be between 0 and " + bytes.length * 8);
    for (int bit = prefix; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] &= (byte) ~(0x80 >> bit % 8);
    }
    network = fromBytes(bytes);
  }

  /** Reads {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address without a slash. */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    InetAddress network = literal(slash < 0 ? text : text.substring(0, slash));
    int bits = network.getAddress().length * 8;
    if (slash < 0) {
      return new Cidr(network, bits);
    }
    String prefix = text.substring(slash + 1);
    Check.that(prefix.matches("[0-9]{1,3}"), "address", "has no prefix length: " + text);
    return new Cidr(network, Integer.parseInt(prefix));
  }

  /** Whether the text is an address as {@link #literal} takes it. */
  public static boolean isLiteral(String text) {
    return text.indexOf(':') >= 0 || text.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  }

  /**
   * Reads an address in its one usual form. Octal, hexadecimal and shortened IPv4 forms, which
   * programs read differently, and scoped IPv6 addresses are refused.
   */
  public static InetAddress literal(String text) {
    Check.that(
        text.indexOf(':') >= 0 ? text.matches("[0-9a-fA-F:.]{2,45}") : text.matches(IPV4),
        "address",
        "is not an IPv4 or IPv6 address: " + text);
    try {
      // No lookup: what passed the check above can only be a literal.
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "not an IPv4 or IPv6 address: " + text, null);
    }
  }

  public boolean contains(InetAddress address) {
    byte[] ours = network.getAddress();
    byte[] theirs = address.getAddress();
    if (ours.length != theirs.length) {
      return false;
    }
    for (int bit = 0; bit < prefix; bit++) {
      if (((ours[bit / 8] ^ theirs[bit / 8]) & (0x80 >> bit % 8)) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether it is one address. */
  public boolean isSingle() {
    return prefix == network.getAddress().length * 8;
  }

  private static InetAddress fromBytes(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The form that {@link #parse} reads; a block of one address has no slash. */
  @Override
  public String toString() {
    return isSingle() ? network.getHostAddress() : network.getHostAddress() + "/" + prefix;
  }

  boolean isIpv4() {
    return network instanceof Inet4Address;
  }
}
