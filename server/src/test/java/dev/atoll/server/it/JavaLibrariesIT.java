package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ExecuteResult;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Java code that names its libraries, and Maven, through the server's cache of packages. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JavaLibrariesIT {
  private static final String HOST = "registry.test";
  private static final String PROGRAM =
      """
      //DEPS reef:demo:1.0
      import reef.demo.Demo;

      public class Main {
        public static void main(String[] args) {
          System.out.println(Demo.greet(args[0]));
        }
      }
      """;

  @TempDir static Path folder;

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    DemoLibraries.serve(internet, "/maven2/", folder);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable(),
            "--network.find-registries=false",
            "--packages.index-age=1s",
            "--packages.maven=http://" + HOST + "/maven2/");
    atoll = server.atoll();
    atoll.templates().build("java");
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
  }

  private Sandbox create() {
    return atoll.sandboxes().create(s -> s.template("java"));
  }

  private static void assertGreets(Sandbox sandbox) {
    assertThat(sandbox.runCode("int before = 5;").ok()).isTrue();
    RunResult result =
        sandbox.runCode(
            """
            //DEPS reef:demo:1.0
            import reef.demo.Demo;
            Demo.greet("cell " + before)
            """);
    assertThat(result.text())
        .as(String.valueOf(result.error()))
        .hasValue("\"hello from maven to cell 5\"");
    assertThat(sandbox.runCode("Demo.greet(\"the next\") + before").text())
        .hasValue("\"hello from maven to the next5\"");
  }

  @Test
  void aCellUsesALibraryAndWhatThatNeedsAndTheNextSandboxNeedsNoRepository() {
    try (Sandbox first = create()) {
      assertGreets(first);
    }
    internet.off(true);
    try (Sandbox second = create()) {
      assertGreets(second);
      assertFails(second, "//DEPS reef:other:1.0", "registry_unreachable", "reef:other:1.0");
    } finally {
      internet.off(false);
    }
  }

  @Test
  void aFailureNamesTheLibraryAndWhatToDo() {
    try (Sandbox sandbox = create()) {
      assertFails(sandbox, "//DEPS reef:nothing:1.0", "package_not_found", "reef:nothing:1.0");
      assertFails(
          sandbox,
          "//DEPS reef:demo:9.9",
          "package_version_not_found",
          "reef:demo:9.9",
          "2.0, 1.0");
      assertFails(sandbox, "//DEPS reef:bad:1.0", "package_corrupt", "reef:bad:1.0");
      assertFails(sandbox, "//DEPS reef-demo", "invalid_argument", "group:artifact:version");
      assertFails(sandbox, "/env -class-path nothing.jar", "file_not_found", "nothing.jar");
      assertThat(sandbox.runCode("//DEPS reef:demo:1.0\n1").text()).hasValue("1");
      assertFails(sandbox, "//DEPS reef:demo:2.0", "package_conflict", "reef:demo:1.0");
      assertThat(sandbox.runCode("reef.demo.Demo.greet(\"all the same\")").text())
          .hasValue("\"hello from maven to all the same\"");
    }
  }

  @Test
  void withoutANetworkThePolicyIsNamed() {
    try (Sandbox sandbox =
        atoll.sandboxes().create(s -> s.template("java").network(NetworkMode.NONE))) {
      assertFails(sandbox, "//DEPS reef:demo:1.0", "registry_refused", "reef:demo:1.0", "network");
    }
  }

  private static void assertFails(Sandbox sandbox, String line, String code, String... words) {
    RunResult result = sandbox.runCode(line + "\n1");
    assertThat(result.error()).as(line).isNotNull();
    var error = Objects.requireNonNull(result.error());
    assertThat(error.name()).isEqualTo("DependencyError");
    assertThat(error.value()).startsWith(code + ": ").contains(words);
    assertThat(String.join("\n", error.traceback())).contains("line 1:", line);
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
  }

  @Test
  void aFileOfJavaHasItsLibrariesToo() {
    try (Sandbox sandbox = create()) {
      sandbox.files().write("Main.java", PROGRAM);
      RunResult ran = sandbox.run("sh", "/opt/atoll/kernels/java/run", "Main.java", "a file");
      assertThat(ran.stdout()).as(ran.stderr()).isEqualTo("hello from maven to a file\n");
      sandbox.files().write("Main.java", PROGRAM.replace("demo:1.0", "demo:9.9"));
      RunResult failed = sandbox.run("sh", "/opt/atoll/kernels/java/run", "Main.java");
      assertThat(failed.exitCode()).isEqualTo(1);
      assertThat(failed.stderr()).startsWith("package_version_not_found: reef:demo:9.9");
    }
  }

  @Test
  void aProgramThatRunsOnceHasItsLibrariesWhereItsNetworkAllowsIt() {
    ExecuteResult result =
        atoll.execute("java", PROGRAM, e -> e.args("execute").network(NetworkMode.PACKAGES));
    assertThat(result.stdout()).as(result.toString()).isEqualTo("hello from maven to execute\n");
    ExecuteResult refused =
        atoll.execute("java", PROGRAM, e -> e.args("execute").network(NetworkMode.NONE));
    assertThat(refused.status()).isEqualTo(RunStatus.COMPILATION_ERROR);
    assertThat(Objects.requireNonNull(refused.compile()).output())
        .contains("registry_refused: reef:demo:1.0");
  }

  @Test
  void mavenAsksTheCacheForWhatIsInTheCentralRepository() {
    try (Sandbox sandbox = create()) {
      sandbox
          .files()
          .write(
              "pom.xml",
              """
              <project>
                <modelVersion>4.0.0</modelVersion>
                <parent><groupId>reef</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
                <artifactId>child</artifactId>
                <packaging>pom</packaging>
              </project>
              """);
      RunResult valid = sandbox.run("mvn", "-B", "validate");
      assertThat(valid.exitCode()).as(valid.stdout()).isZero();
      assertThat(valid.stdout()).contains("http://packages.atoll.internal/maven/reef/parent/1.0");
    }
  }
}
