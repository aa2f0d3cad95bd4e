package dev.atoll.sdk;

import dev.atoll.model.GitSource;
import dev.atoll.model.HealthCheck;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.PortAccess;
import dev.atoll.model.ServiceSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a service should be, set in a lambda: {@code deploy("hello", s -> s.file("main.py",
 * code).start("python3 main.py").max(3))}. {@link #start} must be set; the rest is left to the
 * server.
 */
public final class ServiceOptions {
  private final Map<String, String> files = new HashMap<>();
  private final Map<String, String> env = new HashMap<>();
  private final List<String> secrets = new ArrayList<>();
  private final NetworkChoice network = new NetworkChoice();
  private @Nullable String template;
  private @Nullable String snapshot;
  private @Nullable String archive;
  private @Nullable GitSource git;
  private @Nullable String setup;
  private String start = "";
  private @Nullable Integer port;
  private @Nullable Double cpus;
  private @Nullable Integer memoryMiB;
  private @Nullable Integer diskMiB;
  private @Nullable Integer min;
  private @Nullable Integer max;
  private @Nullable Double idleSeconds;
  private @Nullable Integer concurrency;
  private @Nullable PortAccess access;
  private @Nullable HealthCheck health;
  private @Nullable Double startTimeoutSeconds;
  private @Nullable Boolean warm;

  /** Nothing is said yet. */
  public ServiceOptions() {}

  /** The template that its sandboxes are made from; {@code python} by default. */
  public ServiceOptions template(String templateName) {
    template = templateName;
    return this;
  }

  /** The snapshot that its sandboxes start from, by id or name, in place of a template. */
  public ServiceOptions snapshot(String idOrName) {
    snapshot = idOrName;
    return this;
  }

  /** A text file of the program, by its path below the program's folder. */
  public ServiceOptions file(String path, String text) {
    files.put(path, text);
    return this;
  }

  /** The files of a local directory; about 11 MiB at most, more belongs into a template. */
  public ServiceOptions directory(Path directory) {
    try (InputStream tar = TarSource.of(directory)) {
      archive = Base64.getEncoder().encodeToString(tar.readAllBytes());
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A repository to clone, instead of files. */
  public ServiceOptions git(String url, @Nullable String ref) {
    git = new GitSource(url, ref);
    return this;
  }

  /** A shell command line that is run once for each deployment, before the program starts. */
  public ServiceOptions setup(String commandLine) {
    setup = commandLine;
    return this;
  }

  /** The shell command line of the program; it finds its port in the variable {@code PORT}. */
  public ServiceOptions start(String commandLine) {
    start = commandLine;
    return this;
  }

  /** Where the program listens; 8080 by default. */
  public ServiceOptions port(int number) {
    port = number;
    return this;
  }

  /** A variable of everything that runs in its sandboxes. */
  public ServiceOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** Secrets of the project that its requests may use, by name. */
  public ServiceOptions secret(String... names) {
    secrets.addAll(List.of(names));
    return this;
  }

  /** How much of the network it may reach; {@link NetworkMode#PACKAGES} by default. */
  public ServiceOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /** What it may reach besides what the mode allows. */
  public ServiceOptions allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** How many CPUs' worth of time each instance may use. */
  public ServiceOptions cpus(double count) {
    cpus = count;
    return this;
  }

  /** Memory of each instance, in MiB. */
  public ServiceOptions memoryMiB(int mebibytes) {
    memoryMiB = mebibytes;
    return this;
  }

  /** How much each instance may write, in MiB. */
  public ServiceOptions diskMiB(int mebibytes) {
    diskMiB = mebibytes;
    return this;
  }

  /** How many instances are always awake; 0 by default. */
  public ServiceOptions min(int count) {
    min = count;
    return this;
  }

  /** How many instances there may be; 1 by default. */
  public ServiceOptions max(int count) {
    max = count;
    return this;
  }

  /** How long an instance may be without a request before it is hibernated; a minute by default. */
  public ServiceOptions idle(Duration time) {
    idleSeconds = Seconds.of(time);
    return this;
  }

  /** How many requests an instance is given at once; 10 by default. */
  public ServiceOptions concurrency(int count) {
    concurrency = count;
    return this;
  }

  /** Lets everybody in who knows the address. */
  public ServiceOptions open() {
    access = PortAccess.PUBLIC;
    return this;
  }

  /** The path that must be answered with a status from 200 to 399. */
  public ServiceOptions health(String path) {
    return health(new HealthCheck(path, null, null));
  }

  /** How it is seen whether the program works. */
  public ServiceOptions health(HealthCheck check) {
    health = check;
    return this;
  }

  /** How long the program may take until it is healthy; a minute by default. */
  public ServiceOptions startTimeout(Duration time) {
    startTimeoutSeconds = Seconds.of(time);
    return this;
  }

  /** Each instance starts the program anew, instead of being a copy of the running one. */
  public ServiceOptions startEach() {
    warm = false;
    return this;
  }

  /** All of it as one record. */
  public ServiceSpec spec(String name) {
    return new ServiceSpec(
        name,
        template,
        snapshot,
        files.isEmpty() ? null : files,
        archive,
        git,
        setup,
        start,
        port,
        env.isEmpty() ? null : env,
        secrets.isEmpty() ? null : secrets,
        network.policy(),
        cpus,
        memoryMiB,
        diskMiB,
        null,
        min,
        max,
        idleSeconds,
        concurrency,
        access,
        health,
        startTimeoutSeconds,
        warm);
  }
}
