package dev.atoll.engine.inject;

import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection goes; a request in it that is meant for anybody else is not forwarded.
 *
 * @param host a name in lower case
 * @param tls whether it is reached over TLS, whoever speaks that
 */
record Destination(String host, int port, boolean tls) {

  /** Why a request may not go there; null when it may. */
  @Nullable String refuses(Head request) {
    List<String> hosts =
        request.fields().stream()
            .filter(field -> field.getName().equalsIgnoreCase("Host"))
            .map(HttpField::getValue)
            .toList();
    if (hosts.size() != 1 || hosts.getFirst() == null || !isMe(hosts.getFirst())) {
      return "the connection is to "
          + this
          + ", and its secrets go to no other host: the header Host names another";
    }
    if (request.line().equals("TRACE") || request.line().equals("TRACK")) {
      return request.line() + " has a request sent back, with the secrets in it";
    }
    boolean plain = request.target().startsWith("/") || request.target().equals("*");
    return plain && !request.line().equals("CONNECT")
        ? null
        : "the request is for a proxy, and this is " + this;
  }

  private boolean isMe(String header) {
    String name = header.strip().toLowerCase(Locale.ROOT);
    int colon = name.lastIndexOf(':');
    String port = colon < 0 ? "" : name.substring(colon + 1);
    String named = colon < 0 ? name : name.substring(0, colon);
    if (named.endsWith(".")) {
      named = named.substring(0, named.length() - 1);
    }
    int usual = tls ? 443 : 80;
    boolean samePort =
        port.isEmpty() ? this.port == usual : port.equals(Integer.toString(this.port));
    return named.equals(host) && samePort;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
