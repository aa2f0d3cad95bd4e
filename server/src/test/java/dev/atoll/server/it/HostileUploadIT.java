package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.atoll.driver.testkit.hostile.HostileTars;
import dev.atoll.driver.testkit.hostile.HostileTars.Hostile;
import dev.atoll.driver.testkit.hostile.Sentinel;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Archives that mean harm, uploaded into a sandbox and deployed as a service. They are unpacked by
 * the guest as the user whose files they become: nothing on the host may change, and in the guest
 * nothing beside the folder that they were sent to, although that user might change it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HostileUploadIT {
  /** What the guest says of an archive; a disk that is full says so itself. */
  private static final List<ErrorCode> REFUSALS =
      List.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.TOO_LARGE, ErrorCode.DISK_LIMIT);

  private static final String MAKE =
      """
      set -e; mkdir -p OUT/etc/cron.d; echo root:x:0:0::/root:/bin/sh > OUT/etc/passwd
      echo of the guest > OUT/etc/cron.d/job; ln -s passwd OUT/etc/link; ln -s OUT ~/outside
      """;
  private static final String LOOK =
      "{ find OUT -printf '%p %m %u %g %n %T@ %l\\n' | sort; cat OUT/etc/passwd OUT/etc/cron.d/job;"
          + " } | sha256sum | cut -c1-64";

  private RealServer server;
  private Atoll atoll;
  private Path outside;
  private Sentinel host;
  private List<Hostile> corpus;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    outside = folder.resolve("outside");
    host = Sentinel.make(outside);
    corpus = HostileTars.all(outside);
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  private Sandbox guest() {
    Sandbox sandbox = atoll.sandboxes().create(s -> s.template("python"));
    run(sandbox, MAKE);
    return sandbox;
  }

  private String here(String script) {
    return script.replace("OUT", outside.toString());
  }

  private String run(Sandbox sandbox, String script) {
    var ended = sandbox.run("/bin/sh", "-c", here(script));
    assertThat(ended.exitCode()).as(ended.stderr()).isZero();
    return ended.stdout().strip();
  }

  @Test
  void uploadsTouchNothingBesideTheirFolder() throws IOException {
    String folder = outside.resolveSibling("root").toString();
    try (Sandbox sandbox = guest()) {
      String before = run(sandbox, LOOK);
      for (Hostile hostile : corpus) {
        try {
          sandbox.files().writeTar(folder, new ByteArrayInputStream(hostile.archive()));
        } catch (AtollException e) {
          assertThat(e.code()).as(hostile + ": " + e.getMessage()).isIn(REFUSALS);
          assertThat(e.getMessage()).as(hostile.name()).hasSizeLessThan(1000).doesNotContain("\0");
        }
        assertThat(run(sandbox, LOOK)).as(hostile.name()).isEqualTo(before);
        run(sandbox, "chmod -R u+rwX '" + folder + "'; rm -rf '" + folder + "'");
      }
      assertThat(run(sandbox, "cat /proc/[0-9]*/comm | grep -cx tar || true")).isEqualTo("0");
      assertThat(sandbox.runCode("sum(range(101))").text()).hasValue("5050");
    }
    host.assertUntouched();
    assertThat(outside.resolveSibling("root")).doesNotExist();
  }

  /** The program that is deployed looks whether all is as it was, and ends with what it found. */
  @Test
  void sourcesOfServicesTouchNothingBesideTheirFolder() throws IOException {
    SnapshotInfo snapshot;
    String before;
    try (Sandbox sandbox = guest()) {
      before = run(sandbox, LOOK);
      snapshot = sandbox.snapshot("with-outside");
    }
    try {
      String start = here("test \"$(" + LOOK + ")\" = " + before + "; exit $((70 + $?))");
      for (Hostile hostile : corpus) {
        assertDeployed(hostile, start);
      }
      assertThat(atoll.services().list()).isEmpty();
      assertThat(atoll.sandboxes().list().stream()).isEmpty();
      assertThat(server.home().resolve("services")).isEmptyDirectory();
    } finally {
      atoll.snapshots().delete(snapshot.id());
    }
    host.assertUntouched();
    assertThat(Files.exists(outside.resolveSibling("app"))).isFalse();
  }

  private void assertDeployed(Hostile hostile, String start) {
    String archive = Base64.getEncoder().encodeToString(hostile.archive());
    byte[] spec =
        Json.lenient()
            .writeValueAsBytes(
                Map.of(
                    "name",
                    "hostile",
                    "snapshot",
                    "with-outside",
                    "archive",
                    archive,
                    "start",
                    start));
    ServiceSpec deployed = Json.lenient().readValue(spec, ServiceSpec.class);
    AtollException failure =
        catchThrowableOfType(
            AtollException.class, () -> atoll.services().deploy(deployed, event -> {}));
    assertThat(failure).as(hostile.name()).isNotNull();
    if (failure.code() == ErrorCode.DEPLOY_FAILED) {
      assertThat(failure).as(hostile.name()).hasMessageContaining("exit code 70");
    } else {
      assertThat(failure.code()).as(hostile + ": " + failure.getMessage()).isIn(REFUSALS);
    }
  }
}
