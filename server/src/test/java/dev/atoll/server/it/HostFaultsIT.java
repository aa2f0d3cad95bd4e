package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files and programs on the host that are damaged or gone: the error names them, what was kept is
 * still there, and there is a way back.
 */
class HostFaultsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  @TempDir Path folder;
  private Path runsc;
  private RealServer server;
  private Atoll atoll;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    runsc = folder.resolve("runsc");
    Files.copy(Path.of(configuredRunsc()), runsc);
    Files.setPosixFilePermissions(runsc, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    server = new RealServer("--gvisor.runsc=" + runsc);
    atoll = server.atoll();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static String configuredRunsc() {
    String configured = System.getenv("ATOLL_RUNSC");
    return configured != null ? configured : "/usr/bin/runsc";
  }

  private static void cut(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
  }

  private static List<Path> find(Path root, String name, String within) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.getFileName().toString().equals(name))
          .filter(file -> file.toString().contains(within))
          .toList();
    }
  }

  private SandboxInfo info(String id) {
    return server.atoll().sandboxes().get(id);
  }

  private void awaitFailed(String id) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(info(id).state()).isEqualTo(SandboxState.FAILED));
  }

  private static void assertFails(Runnable call, ErrorCode code, String... said) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).as(e.toString()).isEqualTo(code);
              assertThat(e.getMessage() + " " + e.hint()).contains(said);
            });
  }

  @Test
  void aDamagedTemplateIsMadeAnewByItself() throws Exception {
    Path template =
        server.home().resolve("templates").resolve(atoll.templates().get("python").digest());
    haveOwnCheckpoint(template);
    List<Path> pages = find(template, "pages.img", "checkpoint-");
    assertThat(pages).isNotEmpty();
    for (Path file : pages) {
      cut(file);
    }
    // Of no pool, which has some ready.
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.memoryMiB(300))) {
      assertThat(sandbox.runCode("40 + 2").text()).hasValue("42");
    }
    assertThat(Files.readString(server.home().resolve("logs/it-server.out")))
        .contains("template python: its pages.img is damaged; it is made anew");
    try (Sandbox next = atoll.sandboxes().create()) {
      assertThat(next.runCode("40 + 2").text()).hasValue("42");
    }
  }

  /** Servers of the tests share their templates, and the others need theirs undamaged. */
  private static void haveOwnCheckpoint(Path template) throws IOException, InterruptedException {
    if (Files.isSymbolicLink(template)) {
      Path shared = template.toRealPath();
      Files.delete(template);
      Process copy =
          new ProcessBuilder("cp", "-al", shared.toString(), template.toString())
              .inheritIO()
              .start();
      assertThat(copy.waitFor()).isZero();
    }
    for (Path linked : find(template, "pages.img", "checkpoint-")) {
      Path own = linked.resolveSibling("own");
      Files.copy(linked, own);
      Files.move(own, linked, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private HttpResponse<String> ready() throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI address = URI.create(atoll.endpoint().url() + "/readyz");
      return client.send(
          HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void aRunscThatIsGoneIsNoticedAndOneThatIsPutBackIsUsed() throws Exception {
    Sandbox running = atoll.sandboxes().create();
    running.runCode("x = 41");
    assertThat(ready().statusCode()).isEqualTo(200);
    List<Path> kept = find(server.home().resolve("runsc"), "runsc", "runsc/");
    Path aside = folder.resolve("aside");
    Files.move(runsc, aside);
    for (Path file : kept) {
      if (Files.isRegularFile(file)) {
        Files.delete(file);
      }
    }
    assertThat(ready().statusCode()).isEqualTo(503);
    assertThat(ready().body()).contains("driver_unavailable");
    assertFails(
        () -> server.impatient().sandboxes().create(),
        ErrorCode.DRIVER_UNAVAILABLE,
        "./atoll doctor");
    assertThat(atoll.probe().drivers())
        .allSatisfy(
            driver -> {
              assertThat(driver.available()).isFalse();
              assertThat(driver.checks()).anyMatch(check -> check.contains("missing"));
            });
    assertThat(running.runCode("x + 1").text()).as("what runs goes on").hasValue("42");
    Files.move(aside, runsc);
    assertThat(ready().statusCode()).isEqualTo(200);
    try (Sandbox next = atoll.sandboxes().create()) {
      assertThat(next.runCode("40 + 2").text()).hasValue("42");
    }
    running.terminate();
  }

  @Test
  void aDeadGoferEndsItsSandboxWithAReasonAndItCanBeBroughtBack() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create();
    sandbox.runCode("x = 41");
    SnapshotInfo kept = sandbox.snapshot();
    String machine = server.machineOf(sandbox.id());
    assertThat(new MachineProcesses(server).gofer(machine).destroyForcibly()).isTrue();
    awaitFailed(sandbox.id());
    assertThat(info(sandbox.id()).reason()).isEqualTo("crashed");
    server.assertNothingLeft(machine);
    assertFails(() -> sandbox.runCode("x"), ErrorCode.GONE, "atoll rewind " + sandbox.id());
    assertThat(sandbox.rewindToNewest().state()).isEqualTo(SandboxState.RUNNING);
    assertThat(sandbox.runCode("x + 1").text()).hasValue("42");
    sandbox.terminate();
    atoll.snapshots().delete(kept.id());
  }

  @Test
  void aDamagedSnapshotIsNamedAndNothingElseIsLost() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create();
    sandbox.runCode("x = 40");
    SnapshotInfo good = sandbox.snapshot();
    sandbox.runCode("x = 41");
    SnapshotInfo bad = sandbox.snapshot();
    for (Path file : find(server.home().resolve("snapshots"), "pages.img", bad.id())) {
      cut(file);
    }
    assertFails(
        () -> server.impatient().sandboxes().create(s -> s.snapshot(bad.id())),
        ErrorCode.SNAPSHOT_DAMAGED,
        bad.id(),
        "pages.img",
        "another one");
    assertThat(sandbox.runCode("x + 1").text()).hasValue("42");
    try (Sandbox other = atoll.sandboxes().create(s -> s.snapshot(good.id()))) {
      assertThat(other.runCode("x + 2").text()).hasValue("42");
    }
    atoll.snapshots().delete(bad.id());
    sandbox.terminate();
    atoll.snapshots().delete(good.id());
  }

  private String imageOf(String sandbox) throws IOException, SQLException {
    try (var database =
            java.sql.DriverManager.getConnection(
                "jdbc:sqlite:" + server.home().resolve("atoll.db"));
        var query = database.prepareStatement("SELECT image FROM sandboxes WHERE id = ?")) {
      query.setString(1, sandbox);
      try (var rows = query.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return Objects.requireNonNull(rows.getString(1));
      }
    }
  }

  @Test
  void aSleepingSandboxWhoseImageIsDamagedSaysSoAndGoesBackToItsSnapshot() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create();
    sandbox.runCode("x = 41");
    SnapshotInfo kept = sandbox.snapshot();
    sandbox.hibernate();
    for (Path file : find(server.home().resolve("snapshots"), "pages.img", imageOf(sandbox.id()))) {
      cut(file);
    }
    Sandbox impatient = server.impatient().sandboxes().handle(sandbox.id());
    assertFails(
        () -> impatient.runCode("x"),
        ErrorCode.SNAPSHOT_DAMAGED,
        sandbox.id(),
        "pages.img",
        "atoll rewind --steps 0 " + sandbox.id());
    assertThat(info(sandbox.id()).state()).isEqualTo(SandboxState.HIBERNATED);
    sandbox.rewindToNewest();
    assertThat(sandbox.runCode("x + 1").text()).hasValue("42");
    sandbox.terminate();
    atoll.snapshots().delete(kept.id());
  }

  @Test
  void afterAllIsKilledAtOnceEachSandboxIsInAnHonestState() throws Exception {
    Sandbox kept = atoll.sandboxes().create();
    kept.runCode("x = 41");
    SnapshotInfo snapshot = kept.snapshot();
    Sandbox unkept = atoll.sandboxes().create();
    unkept.runCode("y = 1");
    Sandbox paused = atoll.sandboxes().create();
    paused.pause();
    Sandbox asleep = atoll.sandboxes().create();
    asleep.runCode("z = 41");
    asleep.hibernate();
    MachineProcesses processes = new MachineProcesses(server);
    List<String> machines =
        List.of(
            server.machineOf(kept.id()),
            server.machineOf(unkept.id()),
            server.machineOf(paused.id()));
    server.kill();
    for (String machine : machines) {
      processes.of(machine).forEach(ProcessHandle::destroyForcibly);
    }
    server.start();
    for (Sandbox lost : List.of(kept, unkept, paused)) {
      awaitFailed(lost.id());
      assertThat(info(lost.id()).reason()).isEqualTo("lost");
    }
    for (String machine : machines) {
      server.assertNothingLeft(machine);
    }
    Atoll again = server.atoll();
    assertThat(again.sandboxes().connect(asleep.id()).runCode("z + 1").text()).hasValue("42");
    Sandbox back = again.sandboxes().connect(kept.id());
    back.rewindToNewest();
    assertThat(back.runCode("x + 1").text()).hasValue("42");
    assertFails(
        () -> again.sandboxes().handle(unkept.id()).rewindToNewest(),
        ErrorCode.SNAPSHOT_NOT_FOUND,
        "no state of " + unkept.id() + " is kept");
    back.terminate();
    again.snapshots().delete(snapshot.id());
  }
}
