package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an earlier runsc has written and what runs with it, under a server with the current one. */
class RunscUpgradeIT {
  private RealServer server;
  private Atoll atoll;
  private String earlier;

  @BeforeEach
  void startWithTheEarlierOne() throws IOException, InterruptedException {
    server = new RealServer("--gvisor.runsc=" + earlierRunsc());
    atoll = server.atoll();
    earlier = version();
  }

  @AfterEach
  void stop() throws IOException {
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.snapshots().list(q -> q.automatic(true)).stream()
        .forEach(snapshot -> atoll.snapshots().delete(snapshot.id()));
    server.close();
  }

  /** Debian's, which the launcher gets for the tests. */
  private static Path earlierRunsc() {
    return Stream.of(
            System.getenv("ATOLL_EARLIER_RUNSC"),
            System.getenv().getOrDefault("ATOLL_TOOLS", "/var/lib/atoll/tools") + "/runsc")
        .filter(Objects::nonNull)
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "these tests need an earlier runsc: set ATOLL_EARLIER_RUNSC to its path"));
  }

  private String version() {
    return atoll.server().drivers().getFirst().version();
  }

  private void upgrade() throws IOException, InterruptedException {
    server.kill();
    server.startWith();
    atoll = server.atoll();
    assertThat(version()).isNotEqualTo(earlier);
  }

  private static SnapshotRequest request(SnapshotKind kind) {
    return new SnapshotRequest(null, Map.of(), kind);
  }

  private Sandbox from(SnapshotInfo snapshot) {
    return atoll.sandboxes().create(s -> s.snapshot(snapshot.id()));
  }

  private Path kept() {
    return server.home().resolve("runsc");
  }

  @Test
  void sandboxesAndSnapshotsOfTheEarlierOneGoOn() throws Exception {
    Sandbox before = atoll.sandboxes().create();
    before.runCode("x = 41; open('note', 'w').write('kept')");
    SnapshotInfo memory = before.snapshot(request(SnapshotKind.MEMORY));
    SnapshotInfo files = before.snapshot(request(SnapshotKind.FILES));
    String running = before.id();
    Sandbox sleeper = atoll.sandboxes().create(s -> s.name("sleeper"));
    sleeper.runCode("y = 1");
    sleeper.hibernate();

    upgrade();

    Sandbox asleep = atoll.sandboxes().handle("sleeper");
    SnapshotInfo ofSleep = asleep.snapshot(request(SnapshotKind.MEMORY));
    assertThat(ofSleep.driverVersion()).isEqualTo(earlier);
    assertThat(asleep.runCode("y + 1").text()).hasValue("2");
    assertThat(asleep.fork().runCode("y + 2").text()).hasValue("3");
    assertThat(from(ofSleep).runCode("y + 3").text()).hasValue("4");

    Sandbox on = atoll.sandboxes().handle(running);
    assertThat(on.runCode("x + 1").text()).hasValue("42");
    SnapshotInfo later = on.snapshot(request(SnapshotKind.MEMORY));
    assertThat(later.driverVersion()).isEqualTo(earlier);
    assertThat(List.of(from(memory), from(later)))
        .allSatisfy(sandbox -> assertThat(sandbox.runCode("x + 2").text()).hasValue("43"));

    Sandbox fresh = from(files);
    assertThat(fresh.runCode("open('note').read()").text()).hasValue("'kept'");
    assertThat(fresh.snapshot(request(SnapshotKind.MEMORY)).driverVersion()).isEqualTo(version());

    asleep.hibernate();
    server.kill();
    server.start();
    atoll = server.atoll();
    assertThat(kept()).isDirectoryContaining(path -> path.endsWith(earlier));
    assertThat(atoll.sandboxes().handle("sleeper").runCode("y + 4").text()).hasValue("5");
  }

  @Test
  void theEarlierOneIsRemovedWhenNothingNeedsIt() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create();
    sandbox.hibernate();
    upgrade();
    assertThat(kept()).isDirectoryContaining(path -> path.endsWith(earlier));
    atoll.sandboxes().handle(sandbox.id()).terminate();

    server.kill();
    server.start();
    atoll = server.atoll();

    assertThat(kept()).isDirectoryNotContaining(path -> path.endsWith(earlier));
    assertThat(kept()).isDirectoryContaining(path -> path.endsWith(version()));
  }

  @Test
  void withoutTheEarlierOneTheErrorSaysWhereItBelongs() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create();
    sandbox.runCode("x = 41");
    SnapshotInfo memory = sandbox.snapshot(request(SnapshotKind.MEMORY));
    sandbox.hibernate();
    Path program = kept().resolve(earlier).resolve("runsc");
    Path away = server.home().resolve("runsc-away");
    server.kill();
    Files.move(program, away);
    server.startWith();
    atoll = server.atoll();
    Sandbox asleep = atoll.sandboxes().handle(sandbox.id());

    assertThatThrownBy(() -> asleep.runCode("x")).satisfies(e -> names(e, program));
    assertThatThrownBy(() -> from(memory)).satisfies(e -> names(e, program));
    assertThat(asleep.info().state()).isEqualTo(SandboxState.HIBERNATED);

    Files.createDirectories(program.getParent());
    Files.move(away, program);
    assertThat(asleep.runCode("x + 1").text()).hasValue("42");
  }

  private static void names(Throwable problem, Path program) {
    assertThat(problem)
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_INCOMPATIBLE);
              assertThat(e.hint()).contains(program.toString());
            });
  }
}
