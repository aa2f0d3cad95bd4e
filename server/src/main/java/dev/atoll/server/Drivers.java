package dev.atoll.server;

import dev.atoll.driver.Driver;
import java.util.List;

/** The drivers of this distribution; no other class names them. */
final class Drivers {
  private Drivers() {}

  static List<Driver> of(ServerConfig config) {
    return List.of();
  }
}
