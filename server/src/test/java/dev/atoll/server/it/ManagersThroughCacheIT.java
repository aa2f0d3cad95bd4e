package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** go, and what npm asks besides packages, as their templates have them configured. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManagersThroughCacheIT {
  private static final String HOST = "registry.test";
  private static final String MODULE = "reef.test/demo";
  private static final String GO =
      """
      set -e
      cd "$(mktemp -d)"
      export GOFLAGS=-modcacherw GOMODCACHE=$PWD/modules
      go mod init try
      printf 'package main\\nimport "reef.test/demo"\\nfunc main() { println(demo.Greeting) }\\n' > main.go
      go get reef.test/demo
      go run . 2>&1
      cat go.sum
      """;

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;
  private FakeSumDatabase sums;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    sums = FakeSumDatabase.of("sums.test", DemoPackages.serveGoModule(internet, MODULE));
    sums.serve(internet, MODULE + "@v1.0.0");
    RealServer.Surroundings usual = RealServer.Surroundings.usual();
    server =
        new RealServer(
            new RealServer.Surroundings(
                    usual.options(),
                    Map.of("GOSUMDB", sums.key() + " http://" + HOST + "/sums"),
                    usual.templates(),
                    usual.template())
                .withHosts(internet.hosts()),
            internet.reachable(),
            "--packages.index-age=1s",
            "--packages.go=http://" + HOST + "/go",
            "--packages.npm=http://" + HOST + "/npm/");
    atoll = server.atoll();
    server.build("go");
    server.build("node");
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
  }

  @Test
  void whatGoHasFetchedOnceTheNextSandboxGetsWithoutTheRegistry() {
    try (Sandbox first = go()) {
      assertGoes(first);
    }
    internet.off(true);
    try (Sandbox second = go()) {
      assertGoes(second);
      RunResult other =
          second.shell("cd \"$(mktemp -d)\" && go mod init x && go get reef.test/other@v1.0.0");
      assertThat(other.exitCode()).isNotZero();
      assertThat(other.stderr()).contains("reef.test/other", "504 Gateway Timeout");
    } finally {
      internet.off(false);
    }
  }

  private Sandbox go() {
    return atoll.sandboxes().create(s -> s.template("go").env("GOSUMDB", sums.key()));
  }

  private static void assertGoes(Sandbox sandbox) {
    RunResult result = sandbox.shell(GO);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    assertThat(result.stdout()).contains("hello from go\n", MODULE + " v1.0.0 h1:");
  }

  @Test
  void aUsersOwnProxyWinsOverTheTemplates() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("go"))) {
      assertThat(sandbox.shell("go env GOPROXY").stdout())
          .isEqualTo("http://packages.atoll.internal/go,direct\n");
      assertThat(sandbox.shell("go env -w GOPROXY=http://own.test && go env GOPROXY").stdout())
          .isEqualTo("http://own.test\n");
    }
  }

  @Test
  void npmAsksTheRegistryWhatItIsAskedBesidesPackages() {
    internet.page("/npm/-/ping", "{}");
    internet.page(
        "/npm/-/v1/search",
        """
        {"objects":[{"package":{"name":"reefdemo","version":"1.0.0","description":"demo",
          "maintainers":[],"links":{}}}],"total":1}
        """);
    internet.page(
        "/npm/-/npm/v1/security/advisories/bulk",
        """
        {"reefdemo":[{"id":7,"url":"https://a.test/7","title":"the demo is weak","severity":"high",
          "vulnerable_versions":"<=1.0.0","cwe":[],"cvss":{"score":0}}]}
        """);
    internet.page(
        "/npm/reefdemo",
        """
        {"name":"reefdemo","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"reefdemo",
         "version":"1.0.0","dist":{"tarball":"http://registry.test/npm/reefdemo/-/reefdemo-1.0.0.tgz"}}}}
        """);
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("node"))) {
      sandbox
          .files()
          .write(
              "/home/sandbox/package.json",
              "{\"name\":\"x\",\"version\":\"1.0.0\",\"dependencies\":{\"reefdemo\":\"1.0.0\"}}");
      sandbox
          .files()
          .write(
              "/home/sandbox/package-lock.json",
              """
              {"name":"x","version":"1.0.0","lockfileVersion":3,"packages":{
                "":{"name":"x","version":"1.0.0","dependencies":{"reefdemo":"1.0.0"}},
                "node_modules/reefdemo":{"version":"1.0.0"}}}
              """);
      RunResult ping = sandbox.shell("npm ping");
      assertThat(ping.exitCode()).as(ping.stderr()).isZero();
      assertThat(sandbox.shell("npm search --json reef").stdout()).contains("reefdemo");
      RunResult audit = sandbox.shell("npm audit");
      assertThat(audit.stdout()).as(audit.stderr()).contains("the demo is weak");
      internet.off(true);
      RunResult without = sandbox.shell("npm audit");
      assertThat(without.exitCode()).isNotZero();
      assertThat(without.stderr()).contains("503");
    } finally {
      internet.off(false);
    }
  }
}
