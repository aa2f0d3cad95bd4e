package dev.atoll.engine.net;

import dev.atoll.model.ConnectionWay;
import dev.atoll.protocol.wire.Connect;

/** The ways of the protocol as those of the record. */
final class Ways {
  private Ways() {}

  static ConnectionWay of(Connect.Way way) {
    return switch (way) {
      case HTTP_CONNECT -> ConnectionWay.HTTP_CONNECT;
      case SOCKS -> ConnectionWay.SOCKS;
      case HTTP, HTTPS -> ConnectionWay.HTTP;
      case DIRECT -> ConnectionWay.DIRECT;
      case UDP -> ConnectionWay.UDP;
      case WAY_UNSPECIFIED, UNRECOGNIZED -> ConnectionWay.OTHER;
    };
  }
}
