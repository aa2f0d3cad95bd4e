package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Hosts and ports that a policy allows or denies. Written as one text, on the wire too:
 *
 * <ul>
 *   <li>{@code example.com}: that name alone, on every port
 *   <li>{@code *.example.com:443}: every name below it, but not {@code example.com} itself
 *   <li>{@code *:22}: every host
 *   <li>{@code 10.0.0.0/8:5432,8000-8100}: addresses, whether asked for by address or by name
 *   <li>{@code 2001:db8::/32} or, with ports, {@code [2001:db8::/32]:443}
 * </ul>
 *
 * <p>Whether a rule allows or denies is said by the list it is in, see {@link NetworkPolicy}.
 *
 * @param name a name in lower case, with {@code *.} in front for those below it, or {@code *}; null
 *     for a rule about addresses
 * @param addresses null for a rule about names
 * @param ports empty: all
 */
public record NetworkRule(@Nullable String name, @Nullable Cidr addresses, List<PortRange> ports) {
  private static final String LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
  private static final String NAME = "(\\*\\.)?" + LABEL + "(\\." + LABEL + ")*";
  private static final int MAX_PORTS = 16;

  public NetworkRule {
    ports = List.copyOf(ports);
    Check.that(ports.size() <= MAX_PORTS, "rule", "has more than " + MAX_PORTS + " ports");
    Check.that((name == null) != (addresses == null), "rule", "needs either a name or addresses");
    if (name != null) {
      name = name.toLowerCase(Locale.ROOT);
      String given = name;
      Check.that(
          given.equals("*") || (given.length() <= 253 && given.matches(NAME)),
          "rule",
          "has no host name, *.name, address or CIDR: " + given);
      Check.that(
          !given.matches(".*(^|\\.)(0x[0-9a-f]*|[0-9]+)"),
          "rule",
          "looks like an address but is none: " + given);
    }
  }

  /** Reads the text form. */
  @JsonCreator
  public static NetworkRule parse(String text) {
    String rule = text.strip();
    String host = rule;
    String ports = "";
    if (rule.startsWith("[")) {
      int end = rule.indexOf(']');
      Check.that(end > 0, "rule", "has no closing bracket: " + text);
      host = rule.substring(1, end);
      ports = afterBracket(rule.substring(end + 1), text);
      if (ports.startsWith("/")) {
        int colon = ports.indexOf(':');
        host += colon < 0 ? ports : ports.substring(0, colon);
        ports = colon < 0 ? "" : ports.substring(colon);
      }
    } else if (rule.indexOf(':') >= 0 && rule.indexOf(':') == rule.lastIndexOf(':')) {
      host = rule.substring(0, rule.indexOf(':'));
      ports = rule.substring(rule.indexOf(':'));
    }
    boolean address = Cidr.isLiteral(host) || host.indexOf('/') >= 0;
    return new NetworkRule(
        address ? null : withoutDot(host), address ? Cidr.parse(host) : null, ports(ports));
  }

  private static String afterBracket(String rest, String text) {
    Check.that(
        rest.isEmpty() || rest.startsWith(":") || rest.startsWith("/"),
        "rule",
        "has more after its bracket than ports: " + text);
    return rest;
  }

  private static String withoutDot(String host) {
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  private static List<PortRange> ports(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.substring(1).split(",", -1)).map(PortRange::parse).toList();
  }

  /** Whether it is about this name, which is in lower case and has no dot at its end. */
  public boolean matchesName(String host, int port) {
    String pattern = name;
    if (pattern == null || !matchesPort(port)) {
      return false;
    }
    if (pattern.startsWith("*.")) {
      return host.endsWith(pattern.substring(1)) && host.length() > pattern.length() - 1;
    }
    return pattern.equals("*") || pattern.equals(host);
  }

  /** Whether it is about this address; {@code *} is about every address too. */
  public boolean matchesAddress(InetAddress address, int port) {
    boolean matches = addresses == null ? "*".equals(name) : addresses.contains(address);
    return matches && matchesPort(port);
  }

  /** Whether it is about this port of some host. */
  public boolean matchesPort(int port) {
    return ports.isEmpty() || ports.stream().anyMatch(range -> range.contains(port));
  }

  /** The text form. */
  @JsonValue
  @Override
  public String toString() {
    String host = addresses == null ? String.valueOf(name) : addresses.toString();
    if (ports.isEmpty()) {
      return host;
    }
    boolean brackets = addresses != null && !addresses.isIpv4();
    return (brackets ? "[" + host + "]" : host)
        + ":"
        + ports.stream().map(PortRange::toString).collect(Collectors.joining(","));
  }
}
