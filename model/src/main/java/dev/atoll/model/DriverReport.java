package dev.atoll.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a driver works on this host.
 *
 * @param checks what was tried, one line each, in order
 * @param advice what to do when it does not work
 */
public record DriverReport(
    String name,
    Isolation isolation,
    boolean available,
    String version,
    List<String> checks,
    @Nullable String advice) {
  public DriverReport {
    checks = List.copyOf(checks);
  }
}
