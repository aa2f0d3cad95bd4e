package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a secret may go, and whether over TLS. Written as one text, on the wire too:
 *
 * <ul>
 *   <li>{@code api.example.com}: over TLS, on port 443
 *   <li>{@code *.example.com:443,8443}: every name below it, on these ports
 *   <li>{@code internal.example.com:80}: without TLS, for that is what port 80 is for
 *   <li>{@code http://internal.example.com:8080}: without TLS on whichever ports it names
 *   <li>{@code https://internal.example.com:80}: over TLS
 * </ul>
 *
 * @param rule names and ports
 * @param scheme {@code http}, {@code https}, or null: {@code http} on port 80, {@code https} on
 *     every other
 */
public record SecretDomain(NetworkRule rule, @Nullable String scheme) {
  private static final String PLAIN = "http";
  private static final String TLS = "https";
  private static final String MARK = "://";
  private static final int PLAIN_PORT = 80;
  private static final int TLS_PORT = 443;

  public SecretDomain {
    Check.that(
        scheme == null || scheme.equals(PLAIN) || scheme.equals(TLS),
        "domains",
        "takes http:// and https://, not " + scheme);
    String name = rule.name();
    Check.that(
        name != null && !name.equals("*"), "domains", "takes names, not addresses or *: " + rule);
    Check.that(
        name == null || !name.matches("\\*\\.[^.]+"),
        "domains",
        "takes a wildcard below a domain only, such as *.example.com, not " + rule);
    if (rule.ports().isEmpty()) {
      int port = PLAIN.equals(scheme) ? PLAIN_PORT : TLS_PORT;
      rule = new NetworkRule(name, null, List.of(new PortRange(port, port)));
    }
  }

  /** Reads the text form. */
  @JsonCreator
  public static SecretDomain parse(String text) {
    String domain = text.strip();
    int mark = domain.indexOf(MARK);
    return mark < 0
        ? new SecretDomain(NetworkRule.parse(domain), null)
        : new SecretDomain(
            NetworkRule.parse(domain.substring(mark + MARK.length())), domain.substring(0, mark));
  }

  /** Whether a secret goes there, over TLS or without it. */
  public boolean matches(String host, int port) {
    return rule.matchesName(host, port);
  }

  /** Whether a secret goes there in this way. */
  public boolean matches(String host, int port, boolean tls) {
    return matches(host, port) && tls == isTls(port);
  }

  private boolean isTls(int port) {
    return scheme == null ? port != PLAIN_PORT : scheme.equals(TLS);
  }

  /** The text form. */
  @JsonValue
  @Override
  public String toString() {
    return scheme == null ? rule.toString() : scheme + MARK + rule;
  }
}
