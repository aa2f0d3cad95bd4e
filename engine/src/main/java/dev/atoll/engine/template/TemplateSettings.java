package dev.atoll.engine.template;

import dev.atoll.driver.MachineLimits;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * How templates are built.
 *
 * @param machine limits of the machine in which setup commands run
 * @param timeout how long all setup commands of a build may take together
 * @param maxPerProject how many versions of templates a project may have
 * @param maxBytes how large the files of one template may be
 * @param insecureHosts from which images and archives may come without TLS and at private
 *     addresses, each with its port unless it is the usual one
 */
public record TemplateSettings(
    MachineLimits machine,
    Duration timeout,
    int maxPerProject,
    long maxBytes,
    Set<String> insecureHosts) {
  public TemplateSettings {
    Objects.requireNonNull(machine);
    Objects.requireNonNull(timeout);
    insecureHosts = Set.copyOf(insecureHosts);
    if (maxPerProject < 0 || maxBytes < 1) {
      throw new IllegalArgumentException("limits of templates must be positive");
    }
  }

  /** Two CPUs, 2 GiB of memory, half an hour; 100 versions of 20 GiB each. */
  public static TemplateSettings defaults() {
    return new TemplateSettings(
        new MachineLimits(2, 2L << 30, 20L << 30, 4096),
        Duration.ofMinutes(30),
        100,
        20L << 30,
        Set.of());
  }
}
