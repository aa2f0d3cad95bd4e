package dev.atoll.cli;

import dev.atoll.model.PortAccess;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a service is scaled, and who may reach it. */
final class ScaleSettings {
  @Option(
      names = "--min",
      paramLabel = "N",
      description = "How many instances are always awake; 0 by default.")
  @Nullable Integer min;

  @Option(
      names = "--max",
      paramLabel = "N",
      description = "How many instances there may be; 1 by default.")
  @Nullable Integer max;

  @Option(
      names = "--idle",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long one may be without a request before it sleeps; 1m by default.")
  @Nullable Duration idle;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many requests one is given at once; 10 by default.")
  @Nullable Integer concurrency;

  @Option(names = "--public", description = "Let everybody in who knows the address.")
  boolean open;

  @Nullable Double idleSeconds() {
    return SandboxSettings.seconds(idle);
  }

  @Nullable PortAccess access() {
    return open ? PortAccess.PUBLIC : null;
  }
}
