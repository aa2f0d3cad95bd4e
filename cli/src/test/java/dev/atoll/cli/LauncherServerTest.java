package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the launcher starts a server, with a Java that does as it is told. */
class LauncherServerTest {
  @TempDir private Path folder;
  private Path home;

  @BeforeEach
  void prepare() throws IOException {
    home = folder.resolve("home");
    Files.createDirectories(home.resolve("logs"));
    Path java = Files.createDirectories(folder.resolve("jdk/bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/bash
        if [[ -e %1$s/fails ]]; then cat %1$s/fails >&2; exit 2; fi
        for argument in "$@"; do echo "$argument"; done >%1$s/given
        echo '{"url":"http://127.0.0.1:1","pid":'$$',"ready":true}' >%2$s/run/server.json
        while [[ -e %1$s ]]; do read -r -t 1 <> <(:) || true; done
        """
            .formatted(folder, home));
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void stop() throws Exception {
    assertThat(launch("stop_server")).contains("server");
  }

  @Test
  void settingsGoToTheServer() throws Exception {
    assertThat(launch("start_server --server.port=7071 '--network.registries=a, b'"))
        .isEqualTo("http://127.0.0.1:1\n");
    assertThat(given()).endsWith("--server.port=7071", "--network.registries=a, b");
  }

  @Test
  void aRunningServerKeepsItsSettingsUntilItIsGivenOthers() throws Exception {
    launch("start_server --server.port=7071");
    assertThat(launch("start_server")).isEqualTo("http://127.0.0.1:1\n");
    assertThat(launch("start_server --server.port=7071")).isEqualTo("http://127.0.0.1:1\n");
    assertThat(given()).last().isEqualTo("--server.port=7071");
    assertThat(launch("start_server --server.port=7072")).contains("with other settings");
    assertThat(given()).last().isEqualTo("--server.port=7072");
  }

  @Test
  void aServerOfAnEarlierBuildIsStartedAnewWithItsSettings() throws Exception {
    launch("start_server --server.port=7071");
    assertThat(launch("APP=$APP-newer; start_server")).contains("restarting the server");
    assertThat(given()).last().isEqualTo("--server.port=7071");
  }

  @Test
  void aFailedStartShowsItsOwnErrorsOnly() throws Exception {
    Files.writeString(home.resolve("logs/server.out"), "what an earlier one said\n");
    Files.writeString(folder.resolve("fails"), "atoll-server: there is no setting server.prot\n");
    assertThat(launch("start_server --server.prot=1"))
        .contains("  | atoll-server: there is no setting server.prot", "ended while starting")
        .doesNotContain("earlier one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--data-dir=/x", "--gvisor.runsc=/x"})
  void whatTheLauncherDecidesIsNotTakenFromAnArgument(String argument) throws Exception {
    assertThat(launch("start_server " + argument)).contains("up takes", argument.split("=", 2)[0]);
  }

  private List<String> given() throws IOException {
    return Files.readAllLines(folder.resolve("given"));
  }

  /** Runs functions of the launcher as after a build. */
  private String launch(String call) throws Exception {
    String script =
        """
        set -euo pipefail
        APP=%1$s/app RESOLVED= RESOLVED_JAVA_HOME=%1$s/jdk RESOLVED_RUNSC=/bin/true
        for part in say server; do source ../launcher/$part.sh; done
        resolved() { true; }
        sources_newer_than() { false; }
        mmdebstrap() { :; }
        keep_runsc_of_earlier_servers() { :; }
        %2$s
        """
            .formatted(folder, call);
    List<String> command = new ArrayList<>(List.of("bash", "-c", script));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ATOLL_HOME", home.toString());
    Process launcher = builder.start();
    launcher.getOutputStream().close();
    String said = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    launcher.waitFor();
    return said;
  }
}
