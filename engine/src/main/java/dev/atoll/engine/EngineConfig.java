package dev.atoll.engine;

import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.net.NetworkSettings;
import dev.atoll.engine.net.PortSettings;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.model.QuotaLimits;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How the engine works.
 *
 * @param dataDirectory holds everything that the engine keeps
 * @param templateDirectory holds the recipes
 * @param quota what a project may have of which nothing else is said; how many sandboxes is said by
 *     {@code sandbox}
 */
public record EngineConfig(
    Path dataDirectory,
    Path templateDirectory,
    SandboxDefaults sandbox,
    RunSettings run,
    StateSettings state,
    NetworkSettings network,
    SecretSettings secrets,
    PortSettings ports,
    PackageSettings packages,
    TemplateSettings template,
    QuotaLimits quota) {
  public EngineConfig {
    Objects.requireNonNull(sandbox);
    Objects.requireNonNull(run);
    Objects.requireNonNull(state);
    Objects.requireNonNull(network);
    Objects.requireNonNull(secrets);
    Objects.requireNonNull(ports);
    Objects.requireNonNull(packages);
    Objects.requireNonNull(template);
    Objects.requireNonNull(quota);
    dataDirectory = dataDirectory.toAbsolutePath().normalize();
    templateDirectory = templateDirectory.toAbsolutePath().normalize();
  }

  public static EngineConfig defaults(Path dataDirectory, Path templateDirectory) {
    return new EngineConfig(
        dataDirectory,
        templateDirectory,
        SandboxDefaults.standard(),
        RunSettings.defaults(),
        StateSettings.defaults(),
        NetworkSettings.defaults(),
        SecretSettings.defaults(),
        PortSettings.defaults(),
        PackageSettings.defaults(),
        TemplateSettings.defaults(),
        QuotaLimits.unset());
  }

  /** What a project may have of which nothing else is said. */
  QuotaLimits quotas() {
    return quota.or(QuotaLimits.ofSandboxes(sandbox.maxPerProject()));
  }

  Path sandboxes() {
    return dataDirectory.resolve("sandboxes");
  }

  Path snapshots() {
    return dataDirectory.resolve("snapshots");
  }

  Path packageCache() {
    return dataDirectory.resolve("cache").resolve("packages");
  }

  Path builds() {
    return dataDirectory.resolve("builds");
  }

  Path services() {
    return dataDirectory.resolve("services");
  }

  Path templates() {
    return dataDirectory.resolve("templates");
  }
}
