package dev.atoll.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Every key that the server can be configured with, its default and what it is for.
 *
 * <p>To add one: a constant here, a component in the record that uses it, a line in {@code
 * ServerConfig.of}, and its default in {@code ServerConfigTest}, which fails until it is there.
 */
public enum Setting {
  /** Where everything is kept. */
  DATA_DIR(
      "data-dir",
      "",
      "where everything is kept; $ATOLL_HOME, else /var/lib/atoll for root and"
          + " ~/.local/share/atoll for others"),
  /** Recipes of templates. */
  TEMPLATES_DIR("templates-dir", "", "recipes of templates; <data-dir>/recipes if empty"),
  /** Address to listen on. */
  SERVER_HOST("server.host", "127.0.0.1", "address to listen on"),
  /** Port to listen on. */
  SERVER_PORT("server.port", "7070", "port to listen on; 0 for any free one"),
  /** Largest JSON body. */
  SERVER_MAX_BODY("server.max-body", "16MiB", "largest JSON body; files are not limited by it"),
  /** Further values of the Host header. */
  SERVER_ALLOWED_HOSTS(
      "server.allowed-hosts",
      "",
      "further host names to answer to, with commas; *.example.com for all below, * for all"),
  /** Allows a non-loopback address without TLS. */
  SERVER_INSECURE_BIND(
      "server.insecure-bind", "false", "listen without TLS on an address that others can reach"),
  /** When a silent connection is closed. */
  SERVER_IDLE_TIMEOUT("server.idle-timeout", "60s", "after which a silent connection is closed"),
  /** When a silent stream gets a ping. */
  SERVER_PING_INTERVAL("server.ping-interval", "10s", "silence on a stream before a ping is sent"),
  /** When a session of an agent ends. */
  MCP_SESSION_IDLE("mcp.session-idle", "30m", "after which an unused session of /mcp is ended"),
  /** The longest life of a sandbox that belongs to a session. */
  MCP_SANDBOX_TTL("mcp.sandbox-ttl", "24h", "longest life of a sandbox of a session of /mcp"),
  /** The runsc program. */
  GVISOR_RUNSC("gvisor.runsc", "runsc", "gVisor's runsc, as a path or a name to find on the PATH"),
  /** How gVisor intercepts system calls. */
  GVISOR_PLATFORM("gvisor.platform", "systrap", "systrap, or ptrace where that does not work"),
  /** CPUs of a sandbox that does not say. */
  SANDBOX_CPUS("sandbox.cpus", "2", "CPUs of a sandbox that does not say, such as 0.5"),
  /** Memory of a sandbox that does not say. */
  SANDBOX_MEMORY("sandbox.memory", "1GiB", "memory of a sandbox that does not say"),
  /** Disk of a sandbox that does not say. */
  SANDBOX_DISK("sandbox.disk", "4GiB", "what a sandbox that does not say may write"),
  /** Processes of a sandbox that does not say. */
  SANDBOX_PROCESSES("sandbox.processes", "256", "processes of a sandbox that does not say"),
  /** Lifetime of a sandbox that does not say. */
  SANDBOX_TTL("sandbox.ttl", "never", "lifetime of a sandbox that does not say"),
  /** Idleness after which a sandbox that does not say is ended. */
  SANDBOX_IDLE_TIMEOUT(
      "sandbox.idle-timeout", "30m", "idleness that ends a sandbox that does not say"),
  /** Living sandboxes of one project. */
  SANDBOX_MAX_PER_PROJECT(
      "sandbox.max-per-project",
      "256",
      "how many sandboxes of a project may live at once, unless its quota says otherwise"),
  /** Memory of one project. */
  QUOTA_MEMORY(
      "quota.memory", "unlimited", "memory that all running machines of a project may have"),
  /** CPUs of one project. */
  QUOTA_CPUS("quota.cpus", "unlimited", "CPUs that all running machines of a project may have"),
  /** Disk of one project. */
  QUOTA_DISK(
      "quota.disk",
      "unlimited",
      "disk of a project's sandboxes, snapshots, templates and imported root file systems"),
  /** Pools of one project. */
  QUOTA_POOLS("quota.pools", "64", "how many pools a project may have"),
  /** Sandboxes kept ready for one project. */
  QUOTA_WARM("quota.warm", "256", "how many sandboxes all pools of a project may keep ready"),
  /** Services of one project. */
  QUOTA_SERVICES("quota.services", "64", "how many services a project may have"),
  /** Requests of one project. */
  QUOTA_REQUESTS_PER_SECOND(
      "quota.requests-per-second",
      "unlimited",
      "requests to the API that a project may make; administrators are not held back"),
  /** Snapshots of one project. */
  SNAPSHOT_MAX_PER_PROJECT(
      "snapshot.max-per-project",
      "1000",
      "how many snapshots a project may have, not counting automatic checkpoints"),
  /** Disk of the snapshots of one project. */
  SNAPSHOT_MAX_DISK("snapshot.max-disk", "100GiB", "disk that the snapshots of a project may take"),
  /** Age at which snapshots are deleted. */
  SNAPSHOT_RETENTION("snapshot.retention", "never", "age at which a snapshot is deleted"),
  /** Disk for snapshots that are ready to be restored. */
  SNAPSHOT_HOT_DISK(
      "snapshot.hot-disk",
      "8GiB",
      "disk for snapshots kept ready in one piece, the last used ones"),
  /** Plain sandboxes kept ready. */
  POOL_DEFAULT_WARM(
      "pool.default-warm", "2", "how many plain sandboxes are kept ready for the next create"),
  /** Machines begun ahead. */
  POOL_BLANKS(
      "pool.blanks",
      "5",
      "how many machines of a shape are begun ahead, for forks, wakes and snapshots"),
  /** Idleness before forks are prepared. */
  FORK_AHEAD_DELAY(
      "fork.ahead-delay", "150ms", "idleness after which forks are prepared for who asked for it"),
  /** Prepared forks in all. */
  FORK_MAX_AHEAD("fork.max-ahead", "32", "how many prepared forks there may be in all"),
  /** Time of a run that does not say. */
  RUN_TIMEOUT("run.timeout", "5m", "time of code and commands that do not say"),
  /** Output of a run that does not say. */
  RUN_MAX_OUTPUT("run.max-output", "10MiB", "output of code and commands that do not say"),
  /** What sandboxes may reach although it is not public. */
  NETWORK_REACHABLE(
      "network.reachable",
      "",
      "rules for what is not public and may be reached all the same, with commas, such as"
          + " 10.1.2.3:5432"),
  /** Certificates that are trusted besides. */
  NETWORK_TRUST(
      "network.trust",
      "",
      "file of certificates (PEM) trusted besides the host's where secrets are sent over TLS"),
  /** Package registries that are not found by themselves. */
  NETWORK_REGISTRIES(
      "network.registries", "", "addresses of package registries besides those that are found"),
  /** Whether registries are looked for. */
  NETWORK_FIND_REGISTRIES(
      "network.find-registries",
      "true",
      "look for registries in the configuration of package managers"),
  /** What no sandbox can exceed. */
  NETWORK_CEILING(
      "network.ceiling", "open", "none, packages, allowlist or open; no sandbox can exceed it"),
  /** What the ceiling lets through besides. */
  NETWORK_CEILING_ALLOW(
      "network.ceiling-allow", "", "rules that a ceiling of packages or allowlist allows besides"),
  /** What the ceiling never lets through. */
  NETWORK_CEILING_DENY(
      "network.ceiling-deny", "", "rules that deny for every sandbox, whatever the ceiling"),
  /** Age at which connections are forgotten. */
  NETWORK_RETENTION("network.retention", "30d", "how long connections are on record"),
  /** Connections on record. */
  NETWORK_MAX_RECORDS("network.max-records", "1000000", "how many connections are on record"),
  /** Connections of a sandbox. */
  NETWORK_SANDBOX_CONNECTIONS(
      "network.sandbox.connections", "512", "how many a sandbox may have open at once"),
  /** Bytes of a sandbox. */
  NETWORK_SANDBOX_BYTES_PER_DAY(
      "network.sandbox.bytes-per-day", "50GiB", "what a sandbox may send and receive in a UTC day"),
  /** Speed of a sandbox. */
  NETWORK_SANDBOX_BYTES_PER_SECOND(
      "network.sandbox.bytes-per-second", "100MiB", "how fast; more is held back, not refused"),
  /** Questions for names of a sandbox. */
  NETWORK_SANDBOX_NAMES_PER_MINUTE(
      "network.sandbox.names-per-minute", "600", "how many names a sandbox may ask for"),
  /** Names that are new. */
  NETWORK_SANDBOX_NEW_NAMES_PER_HOUR(
      "network.sandbox.new-names-per-hour",
      "2000",
      "how many names not asked for before; long ones count more"),
  /** Connections of a project. */
  NETWORK_PROJECT_CONNECTIONS(
      "network.project.connections", "4096", "the same for all sandboxes of a project together"),
  /** Bytes of a project. */
  NETWORK_PROJECT_BYTES_PER_DAY(
      "network.project.bytes-per-day", "400GiB", "the same for a project"),
  /** Speed of a project. */
  NETWORK_PROJECT_BYTES_PER_SECOND(
      "network.project.bytes-per-second", "800MiB", "the same for a project"),
  /** Questions for names of a project. */
  NETWORK_PROJECT_NAMES_PER_MINUTE(
      "network.project.names-per-minute", "4800", "the same for a project"),
  /** Names that are new to a project. */
  NETWORK_PROJECT_NEW_NAMES_PER_HOUR(
      "network.project.new-names-per-hour", "16000", "the same for a project"),
  /** The keys that secrets are sealed with. */
  SECRETS_KEY_FILE(
      "secrets.key-file",
      "",
      "file of the keys that secrets are sealed with; secrets.key of the data directory if empty"),
  /** Below which name ports are reached. */
  PORTS_DOMAIN(
      "ports.domain",
      "localhost",
      "ports are reached at PORT-SANDBOX below this name; https://apps.example.com behind a TLS"
          + " proxy"),
  /** Connections into a sandbox. */
  PORTS_MAX_CONNECTIONS(
      "ports.max-connections", "256", "how many to the ports of a sandbox may be open at once"),
  /** When a silent connection to a port is closed. */
  PORTS_IDLE_TIMEOUT(
      "ports.idle-timeout", "1h", "after which a silent connection to a port is closed"),
  /** What the package cache keeps. */
  PACKAGES_CACHE_SIZE(
      "packages.cache-size", "10GiB", "what the package cache keeps; 0 passes everything on"),
  /** Age at which a page of an index is asked for again. */
  PACKAGES_INDEX_AGE(
      "packages.index-age", "2m", "after which a page of a package index is asked for again"),
  /** Indexes of Python packages. */
  PACKAGES_PIP(
      "packages.pip", "", "indexes of Python packages; those of the host's own pip if empty"),
  /** The registry of Node packages. */
  PACKAGES_NPM(
      "packages.npm", "", "registry of Node packages; that of the host's own npm if empty"),
  /** Archives of Debian packages. */
  PACKAGES_APT(
      "packages.apt",
      "",
      "archives of Debian packages besides those of the host's and the templates' own apt"),
  /** The repository of Java libraries. */
  PACKAGES_MAVEN(
      "packages.maven", "", "repository of Java libraries; that of the host's own Maven if empty"),
  /** Proxies of Go modules. */
  PACKAGES_GO("packages.go", "", "proxies of Go modules; those of the host's own Go if empty"),
  /** The index of Rust crates. */
  PACKAGES_CARGO(
      "packages.cargo", "", "sparse index of Rust crates; that of the host's own cargo if empty"),
  /** Versions of templates of a project. */
  TEMPLATE_MAX_PER_PROJECT(
      "template.max-per-project", "100", "how many versions of templates a project may have"),
  /** Size of a template. */
  TEMPLATE_MAX_DISK("template.max-disk", "20GiB", "how large the files of a template may be"),
  /** Memory of a build. */
  TEMPLATE_BUILD_MEMORY(
      "template.build-memory", "2GiB", "memory of the sandbox in which setup commands run"),
  /** Time of a build. */
  TEMPLATE_BUILD_TIMEOUT(
      "template.build-timeout", "30m", "how long the setup commands of a template may take"),
  /** Registries without TLS. */
  TEMPLATE_INSECURE_HOSTS(
      "template.insecure-hosts",
      "",
      "hosts (with :PORT) of images and archives that need no TLS and may be at private"
          + " addresses"),
  /** How much is logged. */
  LOG_LEVEL("log.level", "info", "error, warn, info, debug or trace"),
  /** Where it is logged to, besides the file. */
  LOG_STDERR("log.stderr", "true", "whether the log goes to standard error besides its file");

  private final String key;
  private final String byDefault;
  private final String purpose;

  Setting(String key, String byDefault, String purpose) {
    this.key = key;
    this.byDefault = byDefault;
    this.purpose = purpose;
  }

  /** The name in files and arguments, such as {@code server.max-body}. */
  public String key() {
    return key;
  }

  /** The value, in the form in which one would write it, when none is given. */
  public String byDefault() {
    return byDefault;
  }

  /** What it is for, in a few words. */
  public String purpose() {
    return purpose;
  }

  /** The environment variable, such as {@code ATOLL_SERVER_MAX_BODY}. */
  public String variable() {
    return "ATOLL_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  /** The setting of that key. */
  public static Optional<Setting> of(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  /** All keys. */
  public static List<String> keys() {
    return Arrays.stream(values()).map(Setting::key).toList();
  }
}
