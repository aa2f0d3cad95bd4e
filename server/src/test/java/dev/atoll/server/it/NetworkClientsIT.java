package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every client that is promised to work, in a real sandbox, over HTTP and TLS, without anything
 * being configured in the test: what the policy allows is reached, and nothing else.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkClientsIT {
  private static final String ALLOWED = "allowed.test";
  private static final String OTHER = "other.test";
  private static final String REGISTRY = "registry.test";
  private static final String FETCH =
      """
      import java.net.URI;
      import java.net.http.HttpClient;
      import java.net.http.HttpRequest;
      import java.net.http.HttpResponse;

      public class Fetch {
        public static void main(String[] arguments) throws Exception {
          URI uri = URI.create(arguments[0]);
          System.out.println(new String(uri.toURL().openStream().readAllBytes()));
          HttpResponse<String> answer =
              HttpClient.newHttpClient()
                  .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
          System.out.println(answer.body());
          System.exit(answer.statusCode() == 200 ? 0 : 1);
        }
      }
      """;

  @TempDir static Path folder;

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;
  private Sandbox sandbox;

  @BeforeAll
  void start() throws Exception {
    TestAuthority authority = new TestAuthority(TestHome.shared());
    internet =
        new LocalInternet()
            .with(authority.serving(List.of(ALLOWED, OTHER, REGISTRY)))
            .named(ALLOWED, OTHER, REGISTRY);
    server =
        new RealServer(
            new RealServer.Surroundings(
                    List.of(),
                    Map.of("SSL_CERT_FILE", authority.bundle().toString()),
                    recipes(),
                    "clients")
                .withHosts(internet.hosts()),
            internet.reachable(),
            "--network.find-registries=false",
            "--network.registries=https://" + REGISTRY + "/simple/",
            "--pool.default-warm=0");
    atoll = server.atoll();
    try (Sandbox workshop = create(NetworkMode.NONE)) {
      DemoPackages.serve(internet, workshop, folder.resolve("packages"));
    }
    sandbox = create(NetworkMode.ALLOWLIST, ALLOWED);
    sandbox.files().write("/tmp/Fetch.class", compiled());
  }

  /** The usual recipes, and the one with all clients. */
  private static Path recipes() throws Exception {
    Path recipes = Files.createDirectory(folder.resolve("recipes"));
    for (String recipe :
        List.of("../templates/python.yaml", "src/test/resources/templates/clients.yaml")) {
      Path file = Path.of(recipe);
      Files.copy(file, recipes.resolve(file.getFileName()));
    }
    return recipes;
  }

  @AfterAll
  void stop() throws Exception {
    server.close();
    internet.close();
  }

  private Sandbox create(NetworkMode mode, String... allow) {
    return atoll
        .sandboxes()
        .create(s -> s.template("clients").memoryMiB(2048).cpus(2).network(mode).allow(allow));
  }

  /** For the Java in the template, which is older than the one that runs the tests. */
  private static byte[] compiled() throws Exception {
    Path source = Files.writeString(folder.resolve("Fetch.java"), FETCH);
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "--release", "21", source.toString());
    assertThat(status).isZero();
    return Files.readAllBytes(folder.resolve("Fetch.class"));
  }

  private static RunResult fetch(Sandbox from, NetworkClient client, String scheme, String host) {
    String name = host.replaceFirst(":.*", "");
    return from.run(
        List.of("sh", "-c", client.script(), "sh", scheme + "://" + host, name),
        o -> o.user(client.user()).timeout(Duration.ofSeconds(60)));
  }

  @ParameterizedTest
  @EnumSource
  void reachesWhatIsAllowedAndNothingElse(NetworkClient client) {
    for (String scheme : List.of("http", "https")) {
      RunResult reached = fetch(sandbox, client, scheme, ALLOWED);
      assertThat(reached.stdout()).as(scheme + ": " + reached.stderr()).contains("hello");
      assertThat(reached.exitCode()).isZero();
      long before = refusals();
      RunResult refused = fetch(sandbox, client, scheme, OTHER);
      assertThat(refused.exitCode()).as(refused.stdout()).isNotZero();
      assertThat(refused.stdout()).doesNotContain("hello");
      assertThat(refusals()).as("refusals of " + scheme).isGreaterThan(before);
    }
  }

  private long refusals() {
    return atoll
        .connections()
        .list(q -> q.sandbox(sandbox.id()).verdict(ConnectionVerdict.REFUSED))
        .stream()
        .filter(c -> c.name().equals(OTHER))
        .count();
  }

  @ParameterizedTest
  @EnumSource
  void reachesOtherPorts(NetworkClient client) {
    RunResult reached = fetch(sandbox, client, "https", ALLOWED + ":" + LocalInternet.OTHER_HTTPS);
    assertThat(reached.exitCode()).as(reached.stdout() + reached.stderr()).isZero();
  }

  /** What axios asks of a proxy; the name is not in the other side's certificate. */
  @Test
  void theServerBelievesNobodyWhomASandboxWouldNotBelieve() throws Exception {
    internet.named("unknown.test");
    sandbox.network().allow("unknown.test");
    RunResult answer =
        sandbox.run(
            "python3",
            "-c",
            """
            import http.client
            proxy = http.client.HTTPConnection('127.0.0.1', 3128)
            proxy.request('GET', 'https://unknown.test/')
            answer = proxy.getresponse()
            print(answer.status, answer.read().decode())
            """);
    assertThat(answer.stdout()).startsWith("502 ").contains("TLS failed", "unknown.test");
  }

  @Test
  void packagesAreInstalledByDefaultAndNothingElseIsReached() {
    try (Sandbox usual = create(NetworkMode.PACKAGES)) {
      for (NetworkClient client : List.of(NetworkClient.PIP, NetworkClient.NPM)) {
        RunResult installed = fetch(usual, client, "https", REGISTRY);
        assertThat(installed.stdout()).as(installed.stderr()).contains("hello from");
      }
      RunResult refused = usual.run("curl", "-sSv", "https://example.com/");
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.stderr())
          .contains("403")
          .contains("example.com:443 is not among the package registries")
          .contains("atoll network allow " + usual.id() + " example.com");
    }
  }

  @Test
  void withoutANetworkNeitherPackagesNorPagesAreReached() {
    try (Sandbox alone = create(NetworkMode.NONE)) {
      for (NetworkClient client :
          List.of(NetworkClient.PIP, NetworkClient.NPM, NetworkClient.CURL)) {
        RunResult refused = fetch(alone, client, "https", REGISTRY);
        assertThat(refused.exitCode()).as(client.name()).isNotZero();
      }
      assertThat(atoll.connections().list(q -> q.sandbox(alone.id())).stream())
          .isNotEmpty()
          .extracting(Connection::verdict)
          .containsOnly(ConnectionVerdict.REFUSED);
    }
  }
}
