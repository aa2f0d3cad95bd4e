package dev.atoll.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a driver works on this host.
 *
 * @param checks what was tried, one line each, in order
 * @param advice what to do when it does not work, or does but should be brought up to date
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
