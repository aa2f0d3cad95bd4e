package dev.atoll.server.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.server.it.RealServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Packages that people use install through the server's cache and do what they are for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PackagesTrialIT {
  private static final Duration INSTALLATION = Duration.ofMinutes(5);
  private static final Duration USE = Duration.ofMinutes(2);

  /**
   * One of them.
   *
   * @param brief whether the tests try it
   * @param use code that shows a value
   * @param value what it shows
   */
  record Library(String name, boolean brief, String use, String value) {
    @Override
    public String toString() {
      return name;
    }
  }

  @RegisterExtension static final Trial TRIAL = new Trial("packages");

  private RealServer server;
  private Atoll atoll;
  private List<String> versions;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    versions =
        TrialFiles.text("packages.lock").lines().filter(line -> !line.startsWith("#")).toList();
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  static List<Library> packages() throws IOException {
    List<Library> all = TrialFiles.list("packages.yaml", Library.class);
    return TRIAL.of(all.stream().filter(one -> one.brief() || Trial.whole()).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("packages")
  void installsAndWorks(Library wanted) {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s ->
                    s.memoryMiB(2048)
                        .cpus(2)
                        .diskMiB(4096)
                        .env("PIP_CONSTRAINT", "/home/sandbox/packages.lock"))) {
      sandbox.files().write("packages.lock", String.join("\n", versions) + "\n");
      install(sandbox, wanted);
      RunResult used = sandbox.runCode(wanted.use(), c -> c.timeout(USE));
      assertThat(used.status()).as("%s", used).isEqualTo(RunStatus.OK);
      assertThat(used.text()).as("%s", used).hasValue(wanted.value());
    }
  }

  private static void install(Sandbox sandbox, Library wanted) {
    List<String> said = new ArrayList<>();
    try {
      sandbox
          .packages()
          .install(
              Installer.PIP,
              List.of(wanted.name()),
              o -> o.timeout(INSTALLATION).onOutput(said::add));
    } catch (ApiException e) {
      if (e.code() == ErrorCode.REGISTRY_UNREACHABLE) {
        throw Trial.skip("no registry of Python packages can be reached");
      }
      throw new AssertionError(e + "\n" + String.join("", said), e);
    }
  }
}
