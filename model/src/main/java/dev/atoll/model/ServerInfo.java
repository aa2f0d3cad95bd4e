package dev.atoll.model;

import java.time.Instant;
import java.util.List;

/**
 * The server itself.
 *
 * @param advice what its administrator should know, a line each; only when it was asked to look
 */
public record ServerInfo(
    String version,
    long pid,
    Instant startedAt,
    List<DriverReport> drivers,
    List<TemplateInfo> templates,
    List<String> advice) {
  public ServerInfo {
    drivers = List.copyOf(drivers);
    templates = List.copyOf(templates);
    advice = advice == null ? List.of() : List.copyOf(advice);
  }
}
