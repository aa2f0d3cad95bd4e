package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a program in a sandbox asked for the network, or how its files were reached from outside. */
public enum ConnectionWay {
  /** Not known. */
  OTHER,
  /** Asked the proxy with CONNECT. */
  HTTP_CONNECT,
  /** Asked the proxy with SOCKS5. */
  SOCKS,
  /** Asked the proxy for a page by plain HTTP. */
  HTTP,
  /** Connected without a proxy. */
  DIRECT,
  /** Asked for a name only. */
  DNS,
  /** Sent a datagram, which never leaves a sandbox. */
  UDP,
  /** Somebody read or wrote a file of the sandbox by a signed URL. */
  FILE_URL;

  /** The value of that wire name. */
  @JsonCreator
  public static ConnectionWay of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}
