package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Sandboxes that install through the server's cache, as every template has it configured. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PackageCacheIT {
  private static final String HOST = "registry.test";
  private static final String CACHE = "packages.atoll.internal";

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    DemoPackages.servePip(internet);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable(),
            "--network.find-registries=false",
            "--packages.index-age=1s",
            "--packages.pip=http://" + HOST + "/simple/",
            "--packages.apt=http://" + HOST + "/debian");
    atoll = server.atoll();
    try (Sandbox workshop = atoll.sandboxes().create()) {
      DemoPackages.serveDebian(internet, workshop);
    }
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
  }

  @Test
  void whatOneSandboxHasInstalledTheNextOneInstallsWithoutTheRegistry() throws Exception {
    try (Sandbox first = atoll.sandboxes().create()) {
      assertInstalls(first);
    }
    long fetched = server.metric("atoll_packages_requests_total");
    internet.off(true);
    try (Sandbox second = atoll.sandboxes().create();
        Sandbox third =
            atoll.sandboxes().create(s -> s.network(NetworkMode.ALLOWLIST).allow(CACHE))) {
      assertInstalls(second);
      assertInstalls(third);
      assertThatThrownBy(() -> second.packages().install(Installer.PIP, "reefother"))
          .isInstanceOfSatisfying(
              ApiException.class,
              e ->
                  assertThat(e.code())
                      .as(e + " " + e.details())
                      .isEqualTo(ErrorCode.REGISTRY_UNREACHABLE));
    } finally {
      internet.off(false);
    }
    assertThat(server.metric("atoll_packages_requests_total")).isGreaterThan(fetched);
    assertThat(server.metric("atoll_packages_cache_size_bytes")).isPositive();
  }

  @Test
  void aptInstallsFromTheCacheTooAlsoWithoutTheArchive() {
    try (Sandbox first = atoll.sandboxes().create()) {
      assertAptInstalls(first);
    }
    internet.off(true);
    try (Sandbox second =
        atoll.sandboxes().create(s -> s.network(NetworkMode.ALLOWLIST).allow(CACHE))) {
      assertAptInstalls(second);
    } finally {
      internet.off(false);
    }
  }

  @Test
  void packagesOfARecipeOnAnotherTemplateAreAStepOfItsBuild() {
    String recipe =
        """
        name: more
        base: {template: python}
        packages: [reefdemo]
        files:
          - path: /etc/apt/sources.list
            content: "deb [trusted=yes] http://%s/debian demo main"
          - path: /etc/apt/apt.conf.d/97demo
            content: 'Acquire::http::Proxy::%s "http://%s:80";'
        env: {RUN: "%d"}
        """
            .formatted(HOST, HOST, CACHE, System.nanoTime());
    try {
      atoll.templates().create(recipe);
      try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("more"))) {
        assertThat(sandbox.run("reefdemo").stdout()).isEqualTo("hello from apt\n");
        assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
      }
      assertThatThrownBy(
              () -> atoll.templates().create(recipe.replace("[reefdemo]", "[reefmissing]")))
          .isInstanceOfSatisfying(
              ApiException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TEMPLATE_BUILD_FAILED))
          .hasMessageContaining("packages: reefmissing")
          .hasMessageContaining("Unable to locate package");
    } finally {
      atoll.templates().delete("more");
    }
  }

  private static void assertAptInstalls(Sandbox sandbox) {
    String sources = "deb [trusted=yes] http://" + HOST + "/debian demo main";
    String proxy = "Acquire::http::Proxy::" + HOST + " \"http://" + CACHE + ":80\";";
    sandbox.files().write("/tmp/demo.list", sources + "\n");
    sandbox.files().write("/tmp/demo.conf", proxy + "\n");
    RunResult prepared =
        sandbox.shell(
            "mv /tmp/demo.list /etc/apt/sources.list"
                + " && mv /tmp/demo.conf /etc/apt/apt.conf.d/97demo",
            c -> c.user("root"));
    assertThat(prepared.exitCode()).as(prepared.stderr()).isZero();
    assertThat(sandbox.packages().install(Installer.APT, "reefdemo").installed())
        .anySatisfy(one -> assertThat(one.name()).isEqualTo("reefdemo"));
    assertThat(sandbox.run("reefdemo").stdout()).isEqualTo("hello from apt\n");
  }

  private static void assertInstalls(Sandbox sandbox) {
    assertThat(sandbox.packages().install(Installer.PIP, "reefdemo").installed()).hasSize(1);
    assertThat(sandbox.runCode("import reefdemo; reefdemo.answer").text())
        .hasValue("'hello from pip'");
  }

  @Test
  void aFileThatIsNotWhatTheIndexPromisesIsRefused() {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      assertThatThrownBy(() -> sandbox.packages().install(Installer.PIP, "reefbad"))
          .isInstanceOfSatisfying(
              ApiException.class,
              e ->
                  assertThat(e.code())
                      .as(e + " " + e.details())
                      .isEqualTo(ErrorCode.PACKAGE_CORRUPT));
      assertThatThrownBy(() -> sandbox.packages().install(Installer.PIP, "reefmissing"))
          .isInstanceOfSatisfying(
              ApiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PACKAGE_NOT_FOUND));
    }
  }

  @Test
  void withoutANetworkThereIsNoCacheEither() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.NONE))) {
      assertThatThrownBy(() -> sandbox.packages().install(Installer.PIP, "reefdemo"))
          .isInstanceOfSatisfying(
              ApiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REGISTRY_REFUSED));
    }
  }

  @Test
  void theCacheIsReachedThroughTheProxyTooAndServesNothingElse() {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      String get = "curl -s -o /dev/null -w '%{http_code} ' --noproxy '' ";
      RunResult answers =
          sandbox.shell(
              get
                  + "http://"
                  + CACHE
                  + "/pip/simple/reefdemo/; "
                  + get
                  + "http://"
                  + CACHE
                  + "/../etc/passwd; "
                  + get
                  + "-X POST -d x http://"
                  + CACHE
                  + "/pip/simple/reefdemo/; "
                  + get
                  + "http://"
                  + HOST
                  + "/simple/reefdemo/");
      assertThat(answers.stdout()).isEqualTo("200 404 400 403 ");
    }
  }
}
