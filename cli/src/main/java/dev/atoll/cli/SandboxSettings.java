package dev.atoll.cli;

import dev.atoll.model.Isolation;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.ServiceSpec;
import dev.atoll.sdk.ServiceOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say what a new sandbox should be. */
final class SandboxSettings {
  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      description = "Template to make the sandbox from; python by default.")
  @Nullable String template;

  @Option(
      names = "--from",
      paramLabel = "SNAPSHOT",
      description = "Snapshot to start from, by id or name, in place of a template.")
  @Nullable String snapshot;

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

  @Mixin NetworkSettings network = new NetworkSettings();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "Secret that its requests may use; can be given again.")
  @Nullable List<String> secrets;

  /** Whether nothing was said, but for variables, which a single run takes too. */
  boolean absent() {
    return template == null
        && snapshot == null
        && cpus == null
        && memory == null
        && disk == null
        && isolation == null
        && network.policy() == null
        && secrets == null;
  }

  /** The variables, if there are some. */
  @Nullable Map<String, String> variables() {
    return env.isEmpty() ? null : env;
  }

  /** A sandbox with nothing said about its life and its states. */
  SandboxSpec spec(@Nullable String name, boolean persistent) {
    LifeSettings life = new LifeSettings();
    life.persistent = persistent;
    return spec(name, life, new StateSettings());
  }

  SandboxSpec spec(@Nullable String name, LifeSettings life, StateSettings state) {
    return new SandboxSpec(
        name,
        template,
        cpus,
        mebibytes("--memory", memory),
        mebibytes("--disk", disk),
        null,
        variables(),
        life.labels(),
        life.ttlSeconds(),
        life.idleSeconds(),
        life.persistence(),
        isolation(),
        snapshot(),
        state.onIdle,
        state.checkpoints(),
        state.forkAhead,
        network.policy(),
        secrets);
  }

  /** A pool of such sandboxes. */
  PoolSpec pool(@Nullable String name, int warm, int max) {
    return new PoolSpec(
        name,
        template,
        snapshot(),
        warm,
        max,
        cpus,
        mebibytes("--memory", memory),
        mebibytes("--disk", disk),
        null,
        isolation(),
        env,
        network.policy(),
        secrets);
  }

  /** A service whose instances are such sandboxes. */
  ServiceSpec service(String name, ServiceOptions program, ScaleSettings scale) {
    ServiceSpec own = program.spec(name);
    return new ServiceSpec(
        name,
        template,
        snapshot(),
        own.files(),
        own.archive(),
        own.git(),
        own.setup(),
        own.start(),
        own.port(),
        variables(),
        secrets,
        network.policy(),
        cpus,
        mebibytes("--memory", memory),
        mebibytes("--disk", disk),
        null,
        scale.min,
        scale.max,
        scale.idleSeconds(),
        scale.concurrency,
        scale.access(),
        own.health(),
        own.startTimeoutSeconds(),
        own.warm());
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

  private @Nullable String snapshot() {
    if (snapshot != null && template != null) {
      throw new UsageException("give either --from or --template: a snapshot has its template");
    }
    return snapshot;
  }

  private @Nullable Isolation isolation() {
    try {
      return isolation == null ? null : Isolation.of(isolation);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--isolation is auto, gvisor or microvm; not " + isolation);
    }
  }
}
