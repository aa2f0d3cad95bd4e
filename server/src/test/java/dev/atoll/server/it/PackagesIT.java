package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.PackageException;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Packages in real sandboxes, from a registry on this machine and from those of the host. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PackagesIT {
  private static final String HOST = "registry.test";
  private static final String INDEX = "http://" + HOST + "/simple/";
  private static final InstalledPackage DEMO = new InstalledPackage("reefdemo", "1.0");

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    DemoPackages.servePip(internet);
    DemoPackages.serveHuge(internet, 100 << 20);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable(),
            "--network.registries=" + INDEX);
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
  }

  private Sandbox create() {
    return atoll
        .sandboxes()
        .create(s -> s.env("PIP_INDEX_URL", INDEX).env("PIP_TRUSTED_HOST", HOST));
  }

  /** What agents do: try, read what is missing, install it, try again with all that was there. */
  @Test
  void aMissingModuleIsInstalledAndTheSessionGoesOn() {
    try (Sandbox sandbox = create()) {
      assertThat(sandbox.runCode("rows = [1, 2, 3]").ok()).isTrue();
      RunResult missing = sandbox.runCode("import reefdemo");
      assertThat(Objects.requireNonNull(missing.error()).name()).isEqualTo("ModuleNotFoundError");
      List<String> output = new ArrayList<>();
      PackagesResult installed =
          sandbox
              .packages()
              .install(Installer.PIP, List.of("reefdemo==1.0"), p -> p.onOutput(output::add));
      assertThat(installed.installed()).containsExactly(DEMO);
      assertThat(String.join("", output)).contains("Successfully installed");
      assertThat(sandbox.runCode("import reefdemo; (reefdemo.answer, sum(rows))").text())
          .hasValue("('hello from pip', 6)");
      assertThat(sandbox.packages().install(Installer.PIP, "reefdemo").installed())
          .as("what is there already is told too")
          .containsExactly(DEMO);
      assertThat(sandbox.packages().list(Installer.PIP)).contains(DEMO);
    }
  }

  @Test
  void aGemIsInstalled() throws IOException {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("ruby"))) {
      DemoPackages.serveGem(internet, sandbox);
      sandbox.files().write("/home/sandbox/.gemrc", ":sources:\n- http://" + HOST + "/gem/\n");
      assertThat(sandbox.packages().install(Installer.GEM, "reefdemo:1.0").installed())
          .containsExactly(DEMO);
      assertThat(sandbox.shell("ruby -e 'require \"reefdemo\"; puts Reefdemo::ANSWER'").stdout())
          .isEqualTo("hello from gem\n");
      assertThat(sandbox.packages().list(Installer.GEM)).contains(DEMO);
      assertThatThrownBy(() -> sandbox.packages().install(Installer.GEM, "reefmissing"))
          .isInstanceOfSatisfying(
              PackageException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.PACKAGE_NOT_FOUND);
                assertThat(e.packageName()).isEqualTo("reefmissing");
              });
    }
  }

  @Test
  void pipInUsersCodeWorksToo() {
    try (Sandbox sandbox = create()) {
      RunResult result =
          sandbox.runCode(
              """
              import subprocess, sys
              subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', 'reefdemo'], check=True)
              import reefdemo
              reefdemo.answer
              """);
      assertThat(result.text()).as(result.stderr()).hasValue("'hello from pip'");
    }
  }

  @Test
  void aFailureSaysWhichPackageAndWhy() {
    try (Sandbox sandbox = create()) {
      assertFails(sandbox, "reefmissing", ErrorCode.PACKAGE_NOT_FOUND);
      assertFails(sandbox, "reefdemo==9.9", ErrorCode.PACKAGE_VERSION_NOT_FOUND);
      assertThatThrownBy(() -> sandbox.packages().install(Installer.GEM, "rake"))
          .isInstanceOfSatisfying(
              dev.atoll.sdk.ApiException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.COMMAND_NOT_FOUND);
                assertThat(e.hint()).contains("ruby by apt");
              });
    }
  }

  @Test
  void withoutANetworkThePolicyIsNamed() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s ->
                    s.network(NetworkMode.NONE)
                        .env("PIP_INDEX_URL", INDEX)
                        .env("PIP_TRUSTED_HOST", HOST))) {
      assertFails(sandbox, "reefdemo", ErrorCode.REGISTRY_REFUSED);
    }
  }

  @Test
  void aFullDiskIsTold() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.diskMiB(64).env("PIP_INDEX_URL", INDEX).env("PIP_TRUSTED_HOST", HOST))) {
      assertFails(sandbox, "reefhuge", ErrorCode.DISK_LIMIT);
      assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
    }
  }

  private static void assertFails(Sandbox sandbox, String name, ErrorCode code) {
    assertThatThrownBy(() -> sandbox.packages().install(Installer.PIP, name))
        .isInstanceOfSatisfying(
            dev.atoll.sdk.ApiException.class,
            e -> {
              assertThat(e.code()).as(e + " " + e.details()).isEqualTo(code);
              if (e instanceof PackageException failed && code != ErrorCode.PACKAGE_FAILED) {
                assertThat(name).startsWith(String.valueOf(failed.packageName()));
              }
            });
  }
}
