package dev.atoll.engine.net;

import dev.atoll.model.AtollException;
import dev.atoll.model.Cidr;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkRule;
import dev.atoll.protocol.wire.Connect;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port as a program asked for them.
 *
 * @param host a name in lower case without a dot at its end, or an address in its usual form
 * @param address the same as an address; null for a name
 * @param port 0 when only the name was asked for
 */
record Target(String host, @Nullable InetAddress address, int port) {
  private static final int MAX_NAME = 253;
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9_]([a-z0-9_-]{0,62})?(\\.[a-z0-9_]([a-z0-9_-]{0,62})?)*");

  /**
   * The forms that some programs read as an address and others as a name: {@code 0x7f000001},
   * {@code 017700000001}, {@code 127.1}.
   */
  private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)");

  /**
   * Reads what a guest asks for.
   *
   * @throws AtollException when it is neither a name nor an address in its usual form
   */
  static Target parse(String host, int port) {
    if (port < 0 || port > 65_535) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "there is no such port");
    }
    String text = host.toLowerCase(Locale.ROOT);
    if (text.startsWith("[") && text.endsWith("]")) {
      text = text.substring(1, text.length() - 1);
    }
    if (text.endsWith(".")) {
      text = text.substring(0, text.length() - 1);
    }
    if (Cidr.isLiteral(text)) {
      InetAddress address = Cidr.literal(text);
      return new Target(address.getHostAddress(), address, port);
    }
    if (text.length() > MAX_NAME
        || !NAME.matcher(text).matches()
        || ENDS_IN_NUMBER.matcher(text).matches()) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, printable(host) + " is neither a host name nor an address");
    }
    return new Target(text, null, port);
  }

  /**
   * A name of a guest's as it is kept until it has been looked at. No name is longer; of one that
   * is, a part is left, which is no name either.
   */
  static String bounded(String name) {
    return name.length() <= MAX_NAME + 2 ? name : name.substring(0, MAX_NAME + 1) + "…";
  }

  /** The same for a whole request. */
  static Connect bounded(Connect request) {
    String host = bounded(request.getHost());
    return host.length() == request.getHost().length()
        ? request
        : request.toBuilder().setHost(host).build();
  }

  boolean isName() {
    return address == null;
  }

  /**
   * The port to ask an allowing rule about. A question about a name alone is allowed if some port
   * of it is.
   */
  int portFor(NetworkRule rule) {
    return port != 0 || rule.ports().isEmpty() ? port : rule.ports().getFirst().first();
  }

  /** Text of a guest's that can be shown and stored. */
  static String printable(String text) {
    return printable(text, MAX_NAME);
  }

  static String printable(String text, int most) {
    String start = text.length() > most ? text.substring(0, most) + "…" : text;
    return start.replaceAll("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\u2028\\u2029]", "?");
  }

  @Override
  public String toString() {
    String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == 0 ? shown : shown + ":" + port;
  }
}
