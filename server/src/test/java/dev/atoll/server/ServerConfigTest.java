package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkRule;
import dev.atoll.model.QuotaName;
import dev.atoll.server.config.ConfigException;
import dev.atoll.server.config.Setting;
import dev.atoll.server.config.SettingsLoader;
import dev.atoll.server.http.PortDomain;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ServerConfigTest {
  @TempDir Path home;

  /** Every setting: what it is by default, another value, and how that one reads. */
  private record Case(
      Function<ServerConfig, Object> read, Object byDefault, String other, Object otherRead) {}

  /** A file that is none by default. */
  private Case file(Function<ServerConfig, @Nullable Path> read) {
    return new Case(
        c -> Optional.ofNullable(read.apply(c)),
        Optional.empty(),
        home + "/pem",
        Optional.of(home.resolve("pem")));
  }

  private Map<Setting, Case> cases() {
    Path data = home.resolve(".local/share/atoll");
    return Map.ofEntries(
        Map.entry(
            Setting.DATA_DIR,
            new Case(c -> c.storage().dataDirectory(), data, home + "/d", home.resolve("d"))),
        Map.entry(
            Setting.TEMPLATES_DIR,
            new Case(
                c -> c.storage().templatesDirectory(),
                data.resolve("recipes"),
                "/tmp/../tmp/r",
                Path.of("/tmp/r"))),
        Map.entry(
            Setting.SERVER_HOST,
            new Case(c -> c.http().host(), "127.0.0.1", "localhost", "localhost")),
        Map.entry(Setting.SERVER_PORT, new Case(c -> c.http().port(), 7070, "0", 0)),
        Map.entry(
            Setting.SERVER_MAX_BODY,
            new Case(c -> c.http().maxBody(), 16L << 20, "2MiB", 2L << 20)),
        Map.entry(
            Setting.SERVER_ALLOWED_HOSTS,
            new Case(c -> c.http().allowedHosts(), List.of(), "a.b, *.c", List.of("a.b", "*.c"))),
        Map.entry(
            Setting.SERVER_INSECURE_BIND,
            new Case(c -> c.http().insecureBind(), false, "TRUE", true)),
        Map.entry(
            Setting.SERVER_IDLE_TIMEOUT,
            new Case(
                c -> c.http().idleTimeout(), Duration.ofSeconds(60), "2m", Duration.ofMinutes(2))),
        Map.entry(
            Setting.SERVER_PING_INTERVAL,
            new Case(
                c -> c.http().pingInterval(),
                Duration.ofSeconds(10),
                "500ms",
                Duration.ofMillis(500))),
        Map.entry(
            Setting.MCP_SESSION_IDLE,
            new Case(
                c -> c.mcp().sessionIdle(), Duration.ofMinutes(30), "5s", Duration.ofSeconds(5))),
        Map.entry(
            Setting.MCP_SANDBOX_TTL,
            new Case(c -> c.mcp().sandboxTtl(), Duration.ofHours(24), "1h", Duration.ofHours(1))),
        Map.entry(
            Setting.PORTS_DOMAIN,
            new Case(
                c -> c.http().ports(),
                new PortDomain("localhost", null, null),
                "https://Apps.example.com:8443",
                new PortDomain("apps.example.com", "https", 8443))),
        Map.entry(
            Setting.PORTS_MAX_CONNECTIONS,
            new Case(c -> c.engine().ports().maxConnections(), 256, "3", 3)),
        Map.entry(
            Setting.PORTS_IDLE_TIMEOUT,
            new Case(
                c -> c.ports().idleTimeout(), Duration.ofHours(1), "5m", Duration.ofMinutes(5))),
        Map.entry(
            Setting.PACKAGES_CACHE_SIZE,
            new Case(c -> c.engine().packages().maxBytes(), 10L << 30, "1GiB", 1L << 30)),
        Map.entry(
            Setting.PACKAGES_INDEX_AGE,
            new Case(
                c -> c.packages().pageAge(), Duration.ofMinutes(2), "5s", Duration.ofSeconds(5))),
        Map.entry(
            Setting.PACKAGES_PIP,
            new Case(
                c -> c.packages().pip(),
                List.of(),
                "https://a.test/simple/,https://b.test/x/",
                List.of(URI.create("https://a.test/simple/"), URI.create("https://b.test/x/")))),
        Map.entry(
            Setting.PACKAGES_APT,
            new Case(
                c -> c.packages().apt(),
                List.of(),
                "http://deb.test/debian",
                List.of(URI.create("http://deb.test/debian")))),
        Map.entry(
            Setting.PACKAGES_GO,
            new Case(
                c -> c.packages().go(),
                List.of(),
                "https://go.test/,https://go2.test/",
                List.of(URI.create("https://go.test/"), URI.create("https://go2.test/")))),
        Map.entry(
            Setting.PACKAGES_CARGO,
            new Case(
                c -> c.packages().cargo(),
                List.of(),
                "https://crates.test/",
                List.of(URI.create("https://crates.test/")))),
        Map.entry(
            Setting.PACKAGES_NPM,
            new Case(
                c -> c.packages().npm(),
                List.of(),
                "https://npm.test/",
                List.of(URI.create("https://npm.test/")))),
        Map.entry(
            Setting.PACKAGES_MAVEN,
            new Case(
                c -> c.packages().maven(),
                List.of(),
                "https://maven.test/all",
                List.of(URI.create("https://maven.test/all")))),
        Map.entry(
            Setting.TEMPLATE_MAX_PER_PROJECT,
            new Case(c -> c.engine().template().maxPerProject(), 100, "7", 7)),
        Map.entry(
            Setting.TEMPLATE_INSECURE_HOSTS,
            new Case(c -> c.template().insecureHosts(), Set.of(), "a:5000", Set.of("a:5000"))),
        Map.entry(
            Setting.TEMPLATE_MAX_DISK,
            new Case(c -> c.template().maxBytes(), 20L << 30, "3GiB", 3L << 30)),
        Map.entry(
            Setting.TEMPLATE_BUILD_MEMORY,
            new Case(c -> c.template().machine().memoryBytes(), 2L << 30, "1GiB", 1L << 30)),
        Map.entry(
            Setting.TEMPLATE_BUILD_TIMEOUT,
            new Case(
                c -> c.template().timeout(), Duration.ofMinutes(30), "5m", Duration.ofMinutes(5))),
        Map.entry(Setting.GVISOR_RUNSC, new Case(c -> c.gvisor().runsc(), "runsc", "/x", "/x")),
        Map.entry(
            Setting.GVISOR_PLATFORM,
            new Case(c -> c.gvisor().platform(), "systrap", "ptrace", "ptrace")),
        Map.entry(Setting.SANDBOX_CPUS, new Case(c -> c.sandbox().cpus(), 2.0, "0.5", 0.5)),
        Map.entry(
            Setting.SANDBOX_MEMORY, new Case(c -> c.sandbox().memoryMiB(), 1024, "512MiB", 512)),
        Map.entry(Setting.SANDBOX_DISK, new Case(c -> c.sandbox().diskMiB(), 4096, "1GiB", 1024)),
        Map.entry(
            Setting.SNAPSHOT_MAX_PER_PROJECT,
            new Case(c -> c.state().maxSnapshots(), 1000, "5", 5)),
        Map.entry(
            Setting.SNAPSHOT_MAX_DISK,
            new Case(c -> c.state().maxSnapshotBytes(), 100L << 30, "1GiB", 1L << 30)),
        Map.entry(
            Setting.SNAPSHOT_RETENTION,
            new Case(
                c -> Optional.ofNullable(c.state().retention()),
                Optional.empty(),
                "2h",
                Optional.of(Duration.ofHours(2)))),
        Map.entry(
            Setting.SNAPSHOT_HOT_DISK,
            new Case(c -> c.state().hotBytes(), 8L << 30, "1GiB", 1L << 30)),
        Map.entry(Setting.POOL_DEFAULT_WARM, new Case(c -> c.state().warm(), 2, "0", 0)),
        Map.entry(
            Setting.FORK_AHEAD_DELAY,
            new Case(
                c -> c.state().aheadDelay(), Duration.ofMillis(150), "1s", Duration.ofSeconds(1))),
        Map.entry(Setting.POOL_BLANKS, new Case(c -> c.state().blanks(), 5, "0", 0)),
        Map.entry(Setting.FORK_MAX_AHEAD, new Case(c -> c.state().maxAhead(), 32, "8", 8)),
        Map.entry(Setting.SANDBOX_PROCESSES, new Case(c -> c.sandbox().processes(), 256, "64", 64)),
        Map.entry(
            Setting.SANDBOX_TTL,
            new Case(
                c -> Optional.ofNullable(c.sandbox().ttl()),
                Optional.empty(),
                "2h",
                Optional.of(Duration.ofHours(2)))),
        Map.entry(
            Setting.SANDBOX_IDLE_TIMEOUT,
            new Case(
                c -> Optional.ofNullable(c.sandbox().idleTimeout()),
                Optional.of(Duration.ofMinutes(30)),
                "never",
                Optional.empty())),
        Map.entry(
            Setting.SANDBOX_MAX_PER_PROJECT,
            new Case(c -> c.sandbox().maxPerProject(), 256, "2", 2)),
        Map.entry(
            Setting.QUOTA_MEMORY,
            new Case(
                c -> limit(c, QuotaName.MEMORY), Optional.empty(), "8GiB", Optional.of(8192.0))),
        Map.entry(
            Setting.QUOTA_CPUS,
            new Case(c -> limit(c, QuotaName.CPUS), Optional.empty(), "2.5", Optional.of(2.5))),
        Map.entry(
            Setting.QUOTA_DISK,
            new Case(c -> limit(c, QuotaName.DISK), Optional.empty(), "1GiB", Optional.of(1024.0))),
        Map.entry(
            Setting.QUOTA_POOLS,
            new Case(
                c -> limit(c, QuotaName.POOLS), Optional.of(64.0), "unlimited", Optional.empty())),
        Map.entry(
            Setting.QUOTA_WARM,
            new Case(c -> limit(c, QuotaName.WARM), Optional.of(256.0), "0", Optional.of(0.0))),
        Map.entry(
            Setting.QUOTA_SERVICES,
            new Case(c -> limit(c, QuotaName.SERVICES), Optional.of(64.0), "3", Optional.of(3.0))),
        Map.entry(
            Setting.QUOTA_REQUESTS_PER_SECOND,
            new Case(
                c -> limit(c, QuotaName.REQUESTS_PER_SECOND),
                Optional.empty(),
                "50",
                Optional.of(50.0))),
        Map.entry(
            Setting.RUN_TIMEOUT,
            new Case(c -> c.run().timeout(), Duration.ofMinutes(5), "30s", Duration.ofSeconds(30))),
        Map.entry(
            Setting.RUN_MAX_OUTPUT,
            new Case(c -> c.run().maxOutputBytes(), 10L << 20, "1MiB", 1L << 20)),
        Map.entry(
            Setting.NETWORK_REACHABLE,
            new Case(
                c -> c.network().reachable(),
                List.of(),
                "10.0.0.0/8:53,80-81, *.a.test",
                rules("10.0.0.0/8:53,80-81", "*.a.test"))),
        Map.entry(
            Setting.NETWORK_REGISTRIES,
            new Case(
                c -> c.network().registries(),
                List.of(),
                "https://r.test/a, http://s.test",
                List.of(URI.create("https://r.test/a"), URI.create("http://s.test")))),
        Map.entry(
            Setting.NETWORK_FIND_REGISTRIES,
            new Case(c -> c.network().findRegistries(), true, "false", false)),
        Map.entry(
            Setting.NETWORK_CEILING,
            new Case(
                c -> c.network().ceiling().mode(),
                NetworkMode.OPEN,
                "packages",
                NetworkMode.PACKAGES)),
        Map.entry(
            Setting.NETWORK_CEILING_ALLOW,
            new Case(c -> c.network().ceiling().allow(), List.of(), "a.test", rules("a.test"))),
        Map.entry(
            Setting.NETWORK_CEILING_DENY,
            new Case(c -> c.network().ceiling().deny(), List.of(), "*:25", rules("*:25"))),
        Map.entry(
            Setting.NETWORK_RETENTION,
            new Case(c -> c.network().retention(), Duration.ofDays(30), "1h", Duration.ofHours(1))),
        Map.entry(
            Setting.NETWORK_MAX_RECORDS,
            new Case(c -> c.network().maxRecords(), 1_000_000, "10", 10)),
        Map.entry(
            Setting.NETWORK_SANDBOX_CONNECTIONS,
            new Case(c -> c.network().sandbox().connections(), 512, "7", 7)),
        Map.entry(
            Setting.NETWORK_SANDBOX_BYTES_PER_DAY,
            new Case(c -> c.network().sandbox().bytesPerDay(), 50L << 30, "1MiB", 1L << 20)),
        Map.entry(
            Setting.NETWORK_SANDBOX_BYTES_PER_SECOND,
            new Case(c -> c.network().sandbox().bytesPerSecond(), 100L << 20, "1KiB", 1L << 10)),
        Map.entry(
            Setting.NETWORK_SANDBOX_NAMES_PER_MINUTE,
            new Case(c -> c.network().sandbox().queriesPerMinute(), 600, "9", 9)),
        Map.entry(
            Setting.NETWORK_SANDBOX_NEW_NAMES_PER_HOUR,
            new Case(c -> c.network().sandbox().newNamesPerHour(), 2000, "11", 11)),
        Map.entry(
            Setting.NETWORK_PROJECT_CONNECTIONS,
            new Case(c -> c.network().project().connections(), 4096, "7", 7)),
        Map.entry(
            Setting.NETWORK_PROJECT_BYTES_PER_DAY,
            new Case(c -> c.network().project().bytesPerDay(), 400L << 30, "1MiB", 1L << 20)),
        Map.entry(
            Setting.NETWORK_PROJECT_BYTES_PER_SECOND,
            new Case(c -> c.network().project().bytesPerSecond(), 800L << 20, "1KiB", 1L << 10)),
        Map.entry(
            Setting.NETWORK_PROJECT_NAMES_PER_MINUTE,
            new Case(c -> c.network().project().queriesPerMinute(), 4800, "9", 9)),
        Map.entry(
            Setting.NETWORK_PROJECT_NEW_NAMES_PER_HOUR,
            new Case(c -> c.network().project().newNamesPerHour(), 16000, "11", 11)),
        Map.entry(Setting.NETWORK_TRUST, file(c -> c.secrets().trust())),
        Map.entry(Setting.SECRETS_KEY_FILE, file(c -> c.secrets().keyFile())),
        Map.entry(Setting.LOG_LEVEL, new Case(c -> c.log().level(), "info", "DEBUG", "debug")),
        Map.entry(Setting.LOG_STDERR, new Case(c -> c.log().stderr(), true, "false", false)));
  }

  @ParameterizedTest
  @EnumSource
  void defaultIsAsDocumented(Setting setting) {
    Case example = caseOf(setting);
    assertThat(example.read.apply(load(Map.of()))).isEqualTo(example.byDefault);
  }

  @ParameterizedTest
  @EnumSource
  void argumentSetsIt(Setting setting) {
    Case example = caseOf(setting);
    ServerConfig config = load(Map.of(), "--" + setting.key() + "=" + example.other);
    assertThat(example.read.apply(config)).isEqualTo(example.otherRead);
  }

  @ParameterizedTest
  @EnumSource
  void variableSetsIt(Setting setting) {
    Case example = caseOf(setting);
    ServerConfig config = load(Map.of(setting.variable(), example.other));
    assertThat(example.read.apply(config)).isEqualTo(example.otherRead);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DATA_DIR")
  void fileSetsIt(Setting setting) throws Exception {
    Case example = caseOf(setting);
    writeFile(setting.key() + ": \"" + example.other + "\"");
    assertThat(example.read.apply(load(Map.of()))).isEqualTo(example.otherRead);
  }

  @Test
  void fileMayBeNestedAndHoldLists() throws Exception {
    writeFile(
        """
        server:
          port: 1234
          allowed-hosts: [a.example, b.example]
        """);
    ServerConfig config = load(Map.of());
    assertThat(config.http().port()).isEqualTo(1234);
    assertThat(config.http().allowedHosts()).containsExactly("a.example", "b.example");
  }

  @Test
  void emptyFileIsFine() throws Exception {
    writeFile("# nothing\n");
    assertThat(load(Map.of()).http().port()).isEqualTo(7070);
  }

  @Test
  void laterSourcesWin() throws Exception {
    writeFile("server.port: 1\nlog.level: warn\ngvisor.runsc: /file");
    ServerConfig config =
        load(Map.of("ATOLL_SERVER_PORT", "2", "ATOLL_LOG_LEVEL", "debug"), "--server.port=3");
    assertThat(config.http().port()).isEqualTo(3);
    assertThat(config.log().level()).isEqualTo("debug");
    assertThat(config.gvisor().runsc()).isEqualTo("/file");
  }

  @Test
  void unknownKeysAreRefusedWithTheNearest() throws Exception {
    assertThatThrownBy(() -> load(Map.of(), "--server.prot=1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("server.port");
    assertThatThrownBy(() -> load(Map.of("ATOLL_SERVER_PROT", "1")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("ATOLL_SERVER_PORT");
    writeFile("sever: {port: 1}");
    assertThatThrownBy(() -> load(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("atoll.yaml")
        .hasMessageContaining("server.port");
  }

  @Test
  void variablesOfClientsAreLeftAlone() {
    load(Map.of("ATOLL_URL", "http://x", "ATOLL_API_KEY", "k"));
  }

  @Test
  void fileCannotMoveItself() throws Exception {
    writeFile("data-dir: /elsewhere");
    assertThatThrownBy(() -> load(Map.of())).hasMessageContaining("data-dir");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1, 2]", "a: [", "text"})
  void brokenFileIsNamed(String content) throws Exception {
    writeFile(content);
    assertThatThrownBy(() -> load(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("atoll.yaml");
  }

  @ParameterizedTest
  @CsvSource({
    "server.port, x",
    "server.port, 65536",
    "server.port, -1",
    "server.max-body, big",
    "server.max-body, 1",
    "server.max-body, 16XB",
    "server.idle-timeout, 10",
    "server.idle-timeout, 0s",
    "server.ping-interval, soon",
    "server.insecure-bind, yes",
    "gvisor.platform, qemu",
    "log.level, loud",
    "network.reachable, 10.0.0.0/33",
    "network.registries, registry.test",
    "network.ceiling, everything",
    "network.ceiling-deny, -",
    "server.host, no.such.host.invalid"
  })
  void badValuesAreNamed(String key, String value) {
    assertThatThrownBy(() -> load(Map.of(), "--" + key + "=" + value))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"server.port=1", "--server.port", "-x", "run"})
  void otherArgumentsAreRefused(String argument) {
    assertThatThrownBy(() -> load(Map.of(), argument))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--key=value");
  }

  @Test
  void openAddressNeedsConsent() {
    assertThatThrownBy(() -> load(Map.of(), "--server.host=0.0.0.0"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("server.insecure-bind=true");
    assertThat(
            load(Map.of(), "--server.host=0.0.0.0", "--server.insecure-bind=true")
                .http()
                .loopback())
        .isFalse();
  }

  @Test
  void dataDirectoryDependsOnTheUser() {
    Path atollHome = home.resolve("h");
    assertThat(data(new SettingsLoader(Map.of(), home, true))).isEqualTo(Path.of("/var/lib/atoll"));
    assertThat(data(new SettingsLoader(Map.of("ATOLL_HOME", atollHome.toString()), home, true)))
        .isEqualTo(atollHome);
  }

  @Test
  void helpNamesEveryKey() {
    assertThat(Main.help()).contains(Setting.keys());
  }

  @Test
  void keysAreKebabCaseAndUnique() {
    assertThat(Setting.keys()).allMatch(key -> key.matches("[a-z]+([.-][a-z]+)*"));
    assertThat(Arrays.stream(Setting.values()).map(Setting::variable).collect(Collectors.toSet()))
        .hasSize(Setting.values().length);
  }

  private static Optional<Double> limit(ServerConfig config, QuotaName quota) {
    return Optional.ofNullable(config.engine().quota().of(quota));
  }

  private static List<NetworkRule> rules(String... texts) {
    return Arrays.stream(texts).map(NetworkRule::parse).toList();
  }

  private static Path data(SettingsLoader loader) {
    return ServerConfig.of(loader.load(List.of())).storage().dataDirectory();
  }

  private Case caseOf(Setting setting) {
    Case example = cases().get(setting);
    assertThat(example).as("a case for %s", setting.key()).isNotNull();
    return Objects.requireNonNull(example);
  }

  private void writeFile(String content) throws Exception {
    Path directory = home.resolve(".local/share/atoll");
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("atoll.yaml"), content);
  }

  private ServerConfig load(Map<String, String> environment, String... arguments) {
    return ServerConfig.of(new SettingsLoader(environment, home, false).load(List.of(arguments)));
  }
}
