package dev.atoll.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how long a sandbox lives and how its owner finds it. */
final class LifeSettings {
  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Hard limit on its lifetime, such as 2h.")
  @Nullable Duration ttl;

  @Option(
      names = "--idle-timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End it, or hibernate it, when nothing has used it for that long.")
  @Nullable Duration idle;

  @Option(names = "--persistent", description = "Idleness does not end it.")
  boolean persistent;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "A label.")
  Map<String, String> metadata = new LinkedHashMap<>();

  @Nullable Map<String, String> labels() {
    return metadata.isEmpty() ? null : metadata;
  }

  @Nullable Double ttlSeconds() {
    return SandboxSettings.seconds(ttl);
  }

  @Nullable Double idleSeconds() {
    return SandboxSettings.seconds(idle);
  }

  @Nullable Boolean persistence() {
    return persistent ? Boolean.TRUE : null;
  }
}
