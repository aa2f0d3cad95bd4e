package dev.atoll.cli;

import dev.atoll.model.Isolation;
import dev.atoll.model.SandboxSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what a new sandbox should be. */
final class SandboxSettings {
  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      description = "Template to make the sandbox from; python by default.")
  @Nullable String template;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs it may use.")
  @Nullable Double cpus;

  @Option(names = "--memory", paramLabel = "MIB", description = "Memory in MiB, or with g: 1g.")
  @Nullable String memory;

  @Option(names = "--disk", paramLabel = "MIB", description = "Disk in MiB, or with g: 2g.")
  @Nullable String disk;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "KEY=VALUE",
      description = "Variable of everything in it.")
  Map<String, String> env = new LinkedHashMap<>();

  @Option(names = "--isolation", paramLabel = "KIND", description = "auto, gvisor or microvm.")
  @Nullable String isolation;

  SandboxSpec spec(
      @Nullable String name,
      Map<String, String> metadata,
      @Nullable Duration ttl,
      @Nullable Duration idle,
      boolean persistent) {
    return new SandboxSpec(
        name,
        template,
        cpus,
        mebibytes("--memory", memory),
        mebibytes("--disk", disk),
        null,
        env.isEmpty() ? null : env,
        metadata.isEmpty() ? null : metadata,
        seconds(ttl),
        seconds(idle),
        persistent ? Boolean.TRUE : null,
        isolation());
  }

  static @Nullable Double seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis() / 1e3;
  }

  static @Nullable Integer mebibytes(String option, @Nullable String text) {
    if (text == null) {
      return null;
    }
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.matches("[0-9]{1,6}(m|mb|mib|g|gb|gib)?")) {
      throw new UsageException(option + " is a number of MiB such as 512, or 2g; not " + text);
    }
    int number = Integer.parseInt(lower.replaceAll("[a-z]", ""));
    return lower.contains("g") ? number * 1024 : number;
  }

  private @Nullable Isolation isolation() {
    try {
      return isolation == null ? null : Isolation.of(isolation);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--isolation is auto, gvisor or microvm; not " + isolation);
    }
  }
}
