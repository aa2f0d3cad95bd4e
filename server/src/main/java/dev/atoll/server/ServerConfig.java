package dev.atoll.server;

import dev.atoll.driver.MachineLimits;
import dev.atoll.engine.EngineConfig;
import dev.atoll.engine.SandboxDefaults;
import dev.atoll.engine.StateSettings;
import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.net.NetworkSettings;
import dev.atoll.engine.net.PortSettings;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.model.QuotaLimits;
import dev.atoll.server.config.ConfigException;
import dev.atoll.server.config.Setting;
import dev.atoll.server.config.Settings;
import dev.atoll.server.http.HttpConfig;
import dev.atoll.server.http.PortDomain;
import dev.atoll.server.mcp.McpSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Everything that can be configured, one record for each concern. */
public record ServerConfig(
    HttpConfig http,
    StorageConfig storage,
    GvisorSettings gvisor,
    SandboxDefaults sandbox,
    RunSettings run,
    StateSettings state,
    NetworkSettings network,
    SecretSettings secrets,
    PortSettings ports,
    PackageSettings packages,
    TemplateSettings template,
    QuotaLimits quota,
    McpSettings mcp,
    LogConfig log) {

  /**
   * Where files are.
   *
   * @param dataDirectory everything that the server keeps
   * @param templatesDirectory recipes of templates
   */
  public record StorageConfig(Path dataDirectory, Path templatesDirectory) {}

  /**
   * How gVisor is run.
   *
   * @param runsc a path, or a name to find on the PATH
   * @param platform how system calls are intercepted
   */
  public record GvisorSettings(String runsc, String platform) {}

  /** How much is logged, and whether to standard error too. */
  public record LogConfig(String level, boolean stderr) {}

  /** Reads the settings; a wrong one is refused. */
  public static ServerConfig of(Settings settings) {
    try {
      return new ServerConfig(
          http(settings),
          storage(settings),
          gvisor(settings),
          sandbox(settings),
          run(settings),
          state(settings),
          NetworkKeys.read(settings),
          secrets(settings),
          ports(settings),
          packages(settings),
          template(settings),
          quota(settings),
          mcp(settings),
          log(settings));
    } catch (ConfigException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new ConfigException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The engine's own configuration; the one place where settings reach it. */
  public EngineConfig engine() {
    return new EngineConfig(
        storage.dataDirectory,
        storage.templatesDirectory,
        sandbox,
        run,
        state,
        network,
        secrets,
        ports,
        packages,
        template,
        quota);
  }

  private static HttpConfig http(Settings settings) {
    return new HttpConfig(
        settings.text(Setting.SERVER_HOST),
        settings.number(Setting.SERVER_PORT),
        settings.size(Setting.SERVER_MAX_BODY),
        settings.list(Setting.SERVER_ALLOWED_HOSTS),
        settings.flag(Setting.SERVER_INSECURE_BIND),
        settings.duration(Setting.SERVER_IDLE_TIMEOUT),
        settings.duration(Setting.SERVER_PING_INTERVAL),
        PortDomain.parse(settings.text(Setting.PORTS_DOMAIN)));
  }

  private static McpSettings mcp(Settings settings) {
    return new McpSettings(
        settings.duration(Setting.MCP_SESSION_IDLE), settings.duration(Setting.MCP_SANDBOX_TTL));
  }

  private static StorageConfig storage(Settings settings) {
    Path data = settings.path(Setting.DATA_DIR, Path.of("atoll-data"));
    return new StorageConfig(data, settings.path(Setting.TEMPLATES_DIR, data.resolve("recipes")));
  }

  private static GvisorSettings gvisor(Settings settings) {
    return new GvisorSettings(
        settings.text(Setting.GVISOR_RUNSC),
        settings.oneOf(Setting.GVISOR_PLATFORM, List.of("systrap", "ptrace")));
  }

  private static SandboxDefaults sandbox(Settings settings) {
    return new SandboxDefaults(
        SandboxDefaults.standard().template(),
        settings.decimal(Setting.SANDBOX_CPUS),
        mebibytes(settings, Setting.SANDBOX_MEMORY),
        mebibytes(settings, Setting.SANDBOX_DISK),
        settings.number(Setting.SANDBOX_PROCESSES),
        settings.durationOrNever(Setting.SANDBOX_TTL),
        settings.durationOrNever(Setting.SANDBOX_IDLE_TIMEOUT),
        settings.number(Setting.SANDBOX_MAX_PER_PROJECT));
  }

  private static int mebibytes(Settings settings, Setting setting) {
    return Math.toIntExact(settings.size(setting) >> 20);
  }

  private static RunSettings run(Settings settings) {
    RunSettings standard = RunSettings.defaults();
    return new RunSettings(
        settings.duration(Setting.RUN_TIMEOUT),
        settings.size(Setting.RUN_MAX_OUTPUT),
        standard.keepEnded(),
        standard.maxKept());
  }

  private static StateSettings state(Settings settings) {
    return new StateSettings(
        settings.number(Setting.SNAPSHOT_MAX_PER_PROJECT),
        settings.size(Setting.SNAPSHOT_MAX_DISK),
        settings.durationOrNever(Setting.SNAPSHOT_RETENTION),
        settings.size(Setting.SNAPSHOT_HOT_DISK),
        settings.number(Setting.POOL_DEFAULT_WARM),
        settings.number(Setting.POOL_BLANKS),
        settings.duration(Setting.FORK_AHEAD_DELAY),
        settings.number(Setting.FORK_MAX_AHEAD));
  }

  private static SecretSettings secrets(Settings settings) {
    return new SecretSettings(
        file(settings, Setting.SECRETS_KEY_FILE), file(settings, Setting.NETWORK_TRUST));
  }

  private static @Nullable Path file(Settings settings, Setting setting) {
    return settings.text(setting).isEmpty() ? null : settings.path(setting, Path.of(""));
  }

  private static PortSettings ports(Settings settings) {
    return new PortSettings(
        settings.number(Setting.PORTS_MAX_CONNECTIONS),
        settings.duration(Setting.PORTS_IDLE_TIMEOUT),
        PortSettings.defaults().connectDeadline());
  }

  private static PackageSettings packages(Settings settings) {
    return new PackageSettings(
        settings.size(Setting.PACKAGES_CACHE_SIZE),
        settings.duration(Setting.PACKAGES_INDEX_AGE),
        NetworkKeys.urls(settings, Setting.PACKAGES_PIP),
        NetworkKeys.urls(settings, Setting.PACKAGES_NPM),
        NetworkKeys.urls(settings, Setting.PACKAGES_APT),
        NetworkKeys.urls(settings, Setting.PACKAGES_MAVEN),
        NetworkKeys.urls(settings, Setting.PACKAGES_GO),
        NetworkKeys.urls(settings, Setting.PACKAGES_CARGO));
  }

  private static TemplateSettings template(Settings settings) {
    MachineLimits usual = TemplateSettings.defaults().machine();
    long disk = settings.size(Setting.TEMPLATE_MAX_DISK);
    return new TemplateSettings(
        new MachineLimits(
            usual.cpus(), settings.size(Setting.TEMPLATE_BUILD_MEMORY), disk, usual.processes()),
        settings.duration(Setting.TEMPLATE_BUILD_TIMEOUT),
        settings.number(Setting.TEMPLATE_MAX_PER_PROJECT),
        disk,
        Set.copyOf(settings.list(Setting.TEMPLATE_INSECURE_HOSTS)));
  }

  /** How many sandboxes is a setting of its own, which was there before. */
  private static QuotaLimits quota(Settings settings) {
    return new QuotaLimits(
        null,
        settings.orUnlimited(Setting.QUOTA_MEMORY, setting -> settings.size(setting) >> 20),
        settings.orUnlimited(Setting.QUOTA_CPUS, settings::decimal),
        settings.orUnlimited(Setting.QUOTA_DISK, setting -> settings.size(setting) >> 20),
        settings.orUnlimited(Setting.QUOTA_POOLS, settings::number),
        settings.orUnlimited(Setting.QUOTA_WARM, settings::number),
        settings.orUnlimited(Setting.QUOTA_SERVICES, settings::number),
        settings.orUnlimited(Setting.QUOTA_REQUESTS_PER_SECOND, settings::decimal));
  }

  private static LogConfig log(Settings settings) {
    return new LogConfig(
        settings.oneOf(Setting.LOG_LEVEL, List.of("error", "warn", "info", "debug", "trace")),
        settings.flag(Setting.LOG_STDERR));
  }
}
