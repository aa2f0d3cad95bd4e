package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SandboxPackagesTest {
  private static final String PACKAGES = "POST /v1/sandboxes/x/packages";

  private final FakeServer server = new FakeServer();

  @AfterEach
  void stop() {
    server.close();
  }

  private SandboxPackages packages() {
    return Fixture.client(server).sandboxes().handle("x").packages();
  }

  private void answers(String... events) {
    server.on(
        PACKAGES,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED);
          FakeServer.lines(exchange, events);
          FakeServer.lines(exchange, Fixture.END);
          exchange.close();
        });
  }

  @Test
  void whatWasInstalledIsTold() {
    answers(
        Fixture.stdout(0, "Collecting a"),
        "{\"type\":\"packages\",\"manager\":\"npm\",\"installed\":[{\"name\":\"a\",\"version\":\"1\"}]}");
    List<String> output = new ArrayList<>();
    PackagesResult result =
        packages().install(Installer.NPM, List.of("a@1"), p -> p.cwd("/app").onOutput(output::add));
    assertThat(result.installed()).containsExactly(new InstalledPackage("a", "1"));
    assertThat(result.manager()).isEqualTo(Installer.NPM);
    assertThat(output).containsExactly("Collecting a");
    assertThat(server.seen().get(0).body())
        .contains("\"manager\":\"npm\"", "\"packages\":[\"a@1\"]", "\"cwd\":\"/app\"");
  }

  @Test
  void aFailureIsAnExceptionThatNamesThePackage() {
    answers(
        """
        {"type":"packages","manager":"pip","installed":[],"failure":{"code":"package_not_found",\
        "name":"nope","message":"pip: nope: there is none","hint":"look","log":["one","two"]}}\
        """);
    assertThatThrownBy(() -> packages().install(Installer.PIP, "nope"))
        .isInstanceOfSatisfying(
            PackageException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.PACKAGE_NOT_FOUND);
              assertThat(e.packageName()).isEqualTo("nope");
              assertThat(e.hint()).isEqualTo("look");
              assertThat(e.log()).containsExactly("one", "two");
            });
  }

  @Test
  void anInstallationThatTellsNothingHasFailed() {
    answers();
    assertThatThrownBy(() -> packages().install(Installer.PIP, "a"))
        .isInstanceOf(PackageException.class);
  }

  @Test
  void packagesAreListed() {
    server.on(
        "GET /v1/sandboxes/x/packages",
        exchange ->
            FakeServer.answer(
                exchange, 200, "{\"items\":[{\"name\":\"jq\",\"version\":\"1.7\"}]}"));
    assertThat(packages().list(Installer.APT)).containsExactly(new InstalledPackage("jq", "1.7"));
    assertThat(server.seen().get(0).target()).endsWith("manager=apt");
  }
}
