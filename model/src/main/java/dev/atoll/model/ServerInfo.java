package dev.atoll.model;

import java.time.Instant;
import java.util.List;

/** The server itself. */
public record ServerInfo(
    String version,
    long pid,
    Instant startedAt,
    List<DriverReport> drivers,
    List<TemplateInfo> templates) {
  public ServerInfo {
    drivers = List.copyOf(drivers);
    templates = List.copyOf(templates);
  }
}
