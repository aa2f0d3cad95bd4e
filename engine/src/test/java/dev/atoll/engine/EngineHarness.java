package dev.atoll.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.driver.testkit.FakeDriver;
import dev.atoll.driver.testkit.FakeHost;
import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.net.NetworkSettings;
import dev.atoll.engine.net.PortSettings;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.secret.SecretSettings;
import dev.atoll.engine.store.Store;
import dev.atoll.engine.template.BuildPlan;
import dev.atoll.engine.template.Recipe;
import dev.atoll.engine.template.TemplateSettings;
import dev.atoll.model.AtollException;
import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.OnIdle;
import dev.atoll.model.QuotaLimits;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An engine on a fake host in a folder of the test's own; it can be stopped and started like a
 * server.
 */
final class EngineHarness implements AutoCloseable {
  static final String PROJECT = "demo";
  private static final String RECIPE =
      """
      name: python
      suite: trixie
      kernels:
        python: /usr/bin/python3
      spare: python
      env:
        FROM_TEMPLATE: "yes"
      """;

  /** Told before each step of the store. */
  volatile Store.Steps steps = step -> {};

  /** What the engine believes the host has left. */
  final AtomicLong memory = new AtomicLong(1L << 40);

  private FakeHost host = new FakeHost();
  private final EngineConfig config;
  private FakeDriver driver;
  private Engine engine;

  EngineHarness(Path folder) throws IOException {
    this(folder, SandboxDefaults.standard());
  }

  EngineHarness(Path folder, SandboxDefaults defaults) throws IOException {
    this(folder, defaults, StateSettings.defaults().withReady(0, 0));
  }

  EngineHarness(Path folder, SandboxDefaults defaults, StateSettings state) throws IOException {
    this(folder, defaults, state, "", Set.of());
  }

  /** With hosts from which images may come without TLS. */
  EngineHarness(Path folder, Set<String> insecureHosts) throws IOException {
    this(
        folder,
        SandboxDefaults.standard(),
        StateSettings.defaults().withReady(0, 0),
        "",
        insecureHosts);
  }

  /** With further lines of the template's recipe. */
  EngineHarness(Path folder, String recipe) throws IOException {
    this(
        folder,
        SandboxDefaults.standard(),
        StateSettings.defaults().withReady(0, 0),
        recipe,
        Set.of());
  }

  private EngineHarness(
      Path folder,
      SandboxDefaults defaults,
      StateSettings state,
      String more,
      Set<String> insecureHosts)
      throws IOException {
    Path recipes = Files.createDirectories(folder.resolve("recipes"));
    Path file = Files.writeString(recipes.resolve("python.yaml"), RECIPE + more);
    Path data = Files.createDirectories(folder.resolve("data"));
    // The root file system is the one part of a template that a fake host has no use for.
    String digest = BuildPlan.of(Recipe.read(file), null).digest();
    Files.createDirectories(data.resolve("templates").resolve(digest).resolve("rootfs"));
    config =
        new EngineConfig(
            data,
            recipes,
            defaults,
            new RunSettings(Duration.ofMinutes(1), 1 << 20, Duration.ofMinutes(5), 64),
            state,
            NetworkSettings.defaults(),
            SecretSettings.defaults(),
            PortSettings.defaults(),
            PackageSettings.defaults(),
            withHosts(insecureHosts),
            QuotaLimits.unset());
    driver = new FakeDriver(host);
    engine = open();
  }

  private Engine open() {
    return Engine.open(config, List.of(driver), memory::get, step -> steps.before(step));
  }

  private static TemplateSettings withHosts(Set<String> insecureHosts) {
    TemplateSettings usual = TemplateSettings.defaults();
    return new TemplateSettings(
        usual.machine(), usual.timeout(), usual.maxPerProject(), 1L << 20, insecureHosts);
  }

  Engine engine() {
    return engine;
  }

  Sandboxes sandboxes() {
    return engine.sandboxes();
  }

  FakeDriver driver() {
    return driver;
  }

  /** The only machine that there is. */
  String machine() {
    assertThat(driver.machines()).hasSize(1);
    return driver.machines().iterator().next();
  }

  /**
   * Stops the engine as a server that ends does, and starts another on the same data and the same
   * host.
   */
  void restart() {
    engine.close();
    start();
  }

  /** Everything that ran on the host is gone; the files are still there. */
  void reboot() {
    engine.close();
    host = new FakeHost();
    start();
  }

  /** The names in a folder of the data directory. */
  List<String> folders(String name) {
    try (Stream<Path> entries = Files.list(config.dataDirectory().resolve(name))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The images that are kept, whatever they belong to. */
  List<String> images() {
    return engine.images().ids();
  }

  void stop() {
    engine.close();
  }

  void start() {
    driver = new FakeDriver(host);
    engine = open();
  }

  /** A spec of which only what has to do with state is said. */
  static SandboxSpec spec(
      @Nullable String name,
      @Nullable Double idle,
      @Nullable String snapshot,
      @Nullable OnIdle onIdle,
      @Nullable CheckpointPolicy checkpoints,
      @Nullable Integer ahead) {
    return new SandboxSpec(
        name,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        idle,
        null,
        null,
        snapshot,
        onIdle,
        checkpoints,
        ahead,
        null,
        null);
  }

  /** Asserts that a call is refused with that code. */
  static void assertCode(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(AtollException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  String create() {
    return sandboxes().create(PROJECT, SandboxSpec.defaults(), null).id();
  }

  RunResult run(String sandbox, String code) {
    return sandboxes().runCode(PROJECT, sandbox, RunCodeRequest.python(code)).result();
  }

  @Override
  public void close() {
    engine.close();
  }
}
