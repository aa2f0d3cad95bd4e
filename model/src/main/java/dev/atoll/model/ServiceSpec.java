package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to be run as a service: reachable at an address, started when somebody asks, in as many
 * sandboxes as the requests need.
 *
 * @param name unique among the services of the project; lower-case letters, digits and hyphens
 * @param template what its sandboxes are made from, unless {@code snapshot} is given
 * @param snapshot id or name of the snapshot to start from
 * @param files texts by path, below the program's folder
 * @param archive a tar archive in base64, unpacked into the program's folder before {@code files}
 * @param git a repository to clone into the program's folder, instead of files
 * @param setup a shell command line that is run once for each deployment, before the program starts
 * @param start the shell command line of the program; it finds the port in {@code PORT}
 * @param port where the program listens; 8080 by default
 * @param env environment variables of everything that runs in its sandboxes
 * @param secrets names of the project's secrets that its requests may use
 * @param network what it may reach; the package registries when left out
 * @param min how many instances are always awake; 0 by default
 * @param max how many instances there may be; 1 by default
 * @param idleSeconds how long an instance above {@code min} may be without a request before it is
 *     hibernated; 60 by default
 * @param concurrency how many requests an instance is given at once; 10 by default
 * @param access who may reach it; {@code private} by default
 * @param health how it is seen whether the program works
 * @param startTimeoutSeconds how long the program may take until it is healthy; 60 by default
 * @param warm whether instances are copies of the running program, which is the default; otherwise
 *     each starts it anew
 */
public record ServiceSpec(
    String name,
    @Nullable String template,
    @Nullable String snapshot,
    @Nullable Map<String, String> files,
    @Nullable String archive,
    @Nullable GitSource git,
    @Nullable String setup,
    String start,
    @Nullable Integer port,
    @Nullable Map<String, String> env,
    @Nullable List<String> secrets,
    @Nullable NetworkPolicy network,
    @Nullable Double cpus,
    @Nullable Integer memoryMiB,
    @Nullable Integer diskMiB,
    @Nullable Integer processes,
    @Nullable Integer min,
    @Nullable Integer max,
    @Nullable Double idleSeconds,
    @Nullable Integer concurrency,
    @Nullable PortAccess access,
    @Nullable HealthCheck health,
    @Nullable Double startTimeoutSeconds,
    @Nullable Boolean warm) {
  /** What a service may be called; it is part of the names of its sandboxes. */
  public static final String NAME = "[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?";

  /** Where programs listen that say nothing else. */
  public static final int PORT = 8080;

  private static final double START_TIMEOUT = 60;

  public ServiceSpec {
    Check.that(name != null && name.matches(NAME), "name", "must match " + NAME);
    Check.that(
        start != null && !start.isBlank() && start.indexOf(0) < 0,
        "start",
        "must be a command line");
    Check.that(
        setup == null || (!setup.isBlank() && setup.indexOf(0) < 0),
        "setup",
        "must be a command line");
    files = ProgramFiles.files(files);
    Check.that(
        git == null || (files == null && archive == null),
        "git",
        "cannot be given together with files or archive");
    Check.range("port", port, 1, 65_535);
    scale(min, max, idleSeconds, concurrency);
    Check.range("startTimeoutSeconds", startTimeoutSeconds, 1, 3600);
    sandbox(
        null, template, cpus, memoryMiB, diskMiB, processes, env, snapshot, network, secrets, null);
    env = env == null ? null : Check.environment("env", env);
    secrets = secrets == null ? null : SecretSpec.names(secrets);
  }

  static void scale(
      @Nullable Integer min,
      @Nullable Integer max,
      @Nullable Double idleSeconds,
      @Nullable Integer concurrency) {
    Check.range("min", min, 0, 100);
    Check.range("max", max, 1, 100);
    Check.that(
        (min == null ? 0 : min) <= (max == null ? 1 : max),
        "min",
        "must not be more than max, which is " + (max == null ? 1 : max));
    Check.range("idleSeconds", idleSeconds, 0.2, 31_536_000);
    Check.range("concurrency", concurrency, 1, 1000);
  }

  /**
   * A sandbox that is an instance of it.
   *
   * @param from the snapshot to make it from; null: as the spec says
   */
  public SandboxSpec sandbox(
      String instance,
      @Nullable Map<String, String> variables,
      Map<String, String> metadata,
      @Nullable String from) {
    return from == null
        ? sandbox(
            instance, template, cpus, memoryMiB, diskMiB, processes, variables, snapshot, network,
            secrets, metadata)
        : sandbox(
            instance, null, null, null, null, null, variables, from, network, secrets, metadata);
  }

  private static SandboxSpec sandbox(
      @Nullable String name,
      @Nullable String template,
      @Nullable Double cpus,
      @Nullable Integer memoryMiB,
      @Nullable Integer diskMiB,
      @Nullable Integer processes,
      @Nullable Map<String, String> env,
      @Nullable String snapshot,
      @Nullable NetworkPolicy network,
      @Nullable List<String> secrets,
      @Nullable Map<String, String> metadata) {
    return new SandboxSpec(
        name, template, cpus, memoryMiB, diskMiB, processes, env, metadata, null, null, true, null,
        snapshot, null, null, null, network, secrets);
  }

  /** The same without the program itself, which is in the snapshot once it is deployed. */
  public ServiceSpec withoutContent() {
    return with(null, null, min, max, idleSeconds, concurrency, access);
  }

  /** The same with what an update changes. */
  public ServiceSpec with(ServiceUpdate update) {
    return with(
        files,
        archive,
        update.min() == null ? min : update.min(),
        update.max() == null ? max : update.max(),
        update.idleSeconds() == null ? idleSeconds : update.idleSeconds(),
        update.concurrency() == null ? concurrency : update.concurrency(),
        update.access() == null ? access : update.access());
  }

  private ServiceSpec with(
      @Nullable Map<String, String> newFiles,
      @Nullable String newArchive,
      @Nullable Integer newMin,
      @Nullable Integer newMax,
      @Nullable Double newIdle,
      @Nullable Integer newConcurrency,
      @Nullable PortAccess newAccess) {
    return new ServiceSpec(
        name,
        template,
        snapshot,
        newFiles,
        newArchive,
        git,
        setup,
        start,
        port,
        env,
        secrets,
        network,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        newMin,
        newMax,
        newIdle,
        newConcurrency,
        newAccess,
        health,
        startTimeoutSeconds,
        warm);
  }

  /** Where the program listens. */
  public int listens() {
    return port == null ? PORT : port;
  }

  /** How it is seen whether the program works. */
  public HealthCheck check() {
    return health == null ? HealthCheck.standard() : health;
  }

  /** How long the program may take until it is healthy, in seconds. */
  public double patience() {
    return startTimeoutSeconds == null ? START_TIMEOUT : startTimeoutSeconds;
  }

  /** Whether instances are copies of the running program. */
  public boolean copiesRunning() {
    return warm == null || warm;
  }

  /** How it is scaled, and who may reach it. */
  public ServiceScale scale() {
    return new ServiceScale(
        min == null ? 0 : min,
        max == null ? 1 : max,
        idleSeconds == null ? ServiceScale.IDLE_SECONDS : idleSeconds,
        concurrency == null ? ServiceScale.CONCURRENCY : concurrency);
  }
}
