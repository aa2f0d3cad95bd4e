package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose disk is full, and has room again. */
class FullDiskIT {
  private static final String HOST = "registry.test";

  @TempDir Path folder;

  @Test
  void thePackageCacheTellsAndKeepsWhatItHas() throws Exception {
    Path home = TestHome.create();
    Path cache = home.resolve("cache/packages");
    RealServer server = null;
    try (LocalInternet internet = new LocalInternet().named(HOST);
        SmallDisk disk = new SmallDisk(cache, 3)) {
      DemoPackages.servePip(internet);
      DemoPackages.serveLarge(internet, 5 << 20);
      server =
          new RealServer(
              home,
              RealServer.Surroundings.usual().withHosts(internet.hosts()),
              internet.reachable(),
              "--network.find-registries=false",
              "--packages.pip=http://" + HOST + "/simple/");
      assertTellsAndKeeps(server.atoll(), internet, disk);
    } finally {
      // After the disk: the server looks for mounts that it has left.
      if (server != null) {
        server.close();
      }
      TestHome.remove(home);
    }
  }

  private static void assertTellsAndKeeps(Atoll atoll, LocalInternet internet, SmallDisk disk)
      throws IOException, InterruptedException {
    try (Sandbox one = atoll.sandboxes().create();
        Sandbox other = atoll.sandboxes().create()) {
      assertThat(one.packages().install(Installer.PIP, "reefdemo").installed()).hasSize(1);
      assertThatThrownBy(() -> one.packages().install(Installer.PIP, "reeflarge"))
          .isInstanceOfSatisfying(
              ApiException.class,
              e -> {
                assertThat(e.code()).as(e + " " + e.details()).isEqualTo(ErrorCode.STORAGE_FULL);
                assertThat(e).hasMessageContaining("No space left");
                assertThat(e.details()).containsKey("log");
              });
      assertThat(entries(disk.folder().resolve("aside"))).isEmpty();
      internet.off(true);
      assertThat(other.packages().install(Installer.PIP, "reefdemo").installed()).hasSize(1);
      internet.off(false);
      disk.resize(64);
      assertThat(one.packages().install(Installer.PIP, "reeflarge").installed()).hasSize(1);
      assertThat(one.runCode("import reeflarge; len(reeflarge.content)").text())
          .hasValue(String.valueOf(10 << 20));
    }
  }

  /** Runs something on a server with a tiny template, whose data directory is on a small disk. */
  private void onSmallDisk(Trial trial) throws Exception {
    byte[] root = LocalRegistry.layer(TemplateBasesIT.tiny(), true);
    HttpServer files =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    files.createContext(
        "/root.tar.gz",
        exchange -> {
          exchange.sendResponseHeaders(200, root.length);
          exchange.getResponseBody().write(root);
          exchange.close();
        });
    files.start();
    String host = "127.0.0.1:" + files.getAddress().getPort();
    String sha = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(root));
    Path recipes = Files.createDirectory(folder.resolve("recipes"));
    Files.writeString(
        recipes.resolve("tiny.yaml"),
        "{name: tiny, base: {tarball: 'http://%s/root.tar.gz', sha256: %s}, env: {PATH: /bin}}\n"
            .formatted(host, sha));
    try (SmallDisk disk = new SmallDisk(folder.resolve("disk"), 256)) {
      Path home = Files.createDirectory(disk.folder().resolve("home"));
      try (RealServer server =
          new RealServer(
              home,
              new RealServer.Surroundings(List.of(), Map.of(), recipes, "tiny"),
              "--template.insecure-hosts=" + host)) {
        trial.run(server, home, disk);
      }
    } finally {
      files.stop(0);
    }
  }

  private interface Trial {
    void run(RealServer server, Path home, SmallDisk disk) throws Exception;
  }

  @Test
  void aBuildTellsAndLeavesNothing() throws Exception {
    onSmallDisk((server, home, disk) -> assertBuildTells(server.atoll(), home, disk));
  }

  @Test
  void readsAndRemovalsGoOnAndNothingIsHalfDone() throws Exception {
    onSmallDisk(FullDiskIT::assertGoesOn);
  }

  private static void assertGoesOn(RealServer server, Path home, SmallDisk disk) throws Exception {
    Atoll atoll = server.impatient();
    Sandbox kept = atoll.sandboxes().create(s -> s.name("kept").template("tiny"));
    Sandbox other = atoll.sandboxes().create(s -> s.name("other").template("tiny"));
    Sandbox asleep = atoll.sandboxes().create(s -> s.name("asleep").template("tiny"));
    asleep.hibernate();
    SnapshotInfo snapshot = kept.snapshot("before");
    long size = snapshot.totalBytes();
    SandboxUpdate update = metadata("b");
    assertThat(home.resolve("reserve")).hasSize(8 << 20);
    List<String> images = entries(home.resolve("snapshots/whole"));
    // From no room at all to nearly enough: each step of writing a state finds the disk full once.
    for (long left : List.of(0L, size / 4, size / 2, size * 3 / 4)) {
      Path filler = disk.fillUpTo(left);
      assertFull(() -> kept.snapshot("more"));
      assertFull(kept::hibernate);
      assertThat(kept.run("/bin/cat", "/srv/below").stdout()).isEqualTo("below");
      if (left == 0) {
        assertFull(() -> atoll.sandboxes().create(s -> s.name("new").template("tiny")));
        assertWrittenOrFull(atoll, kept);
        assertThat(atoll.sandboxes().list().stream()).hasSize(3);
      }
      assertThat(atoll.snapshots().get(snapshot.id()).name()).isEqualTo("before");
      assertThat(atoll.sandboxes().get("kept").state()).isEqualTo(SandboxState.RUNNING);
      assertThat(entries(home.resolve("snapshots/whole"))).isEqualTo(images);
      assertThat(entries(home.resolve("snapshots"))).noneMatch(name -> name.startsWith("."));
      if (left == 0) {
        other.terminate();
        assertThat(atoll.sandboxes().get(other.id()).state()).isEqualTo(SandboxState.TERMINATED);
      }
      Files.delete(filler);
      assertThat(kept.update(update).metadata()).containsEntry("a", "b");
      assertThat(home.resolve("reserve")).hasSize(8 << 20);
    }
    assertRuns(atoll, "tiny", "/srv/below", "below");
    assertThat(kept.snapshot("more").name()).isEqualTo("more");
    assertThat(asleep.run("/bin/cat", "/srv/below").stdout()).isEqualTo("below");
    atoll.snapshots().delete("more");
    atoll.snapshots().delete("before");
    // A server that is started on a full disk takes over what there is.
    Path filler = disk.fillUpTo(0);
    server.kill();
    server.start();
    Sandbox found = server.impatient().sandboxes().connect("kept");
    assertThat(found.run("/bin/cat", "/srv/below").stdout()).isEqualTo("below");
    found.terminate();
    Files.delete(filler);
  }

  private static SandboxUpdate metadata(String value) {
    return new SandboxUpdate(
        null, null, null, null, Map.of("a", value), null, null, null, null, null);
  }

  /**
   * A small row may find room in what SQLite has written ahead already. Then it is there; else it
   * is refused, and nothing of it is shown.
   */
  private static void assertWrittenOrFull(Atoll atoll, Sandbox kept) {
    for (int i = 0; i < 20; i++) {
      String value = "full" + i;
      Map<String, String> before = atoll.sandboxes().get("kept").metadata();
      try {
        kept.update(metadata(value));
        assertThat(atoll.sandboxes().get("kept").metadata()).containsEntry("a", value);
      } catch (ApiException e) {
        assertThat(e.code()).as(e + " " + e.details()).isEqualTo(ErrorCode.STORAGE_FULL);
        assertThat(atoll.sandboxes().get("kept").metadata()).isEqualTo(before);
      }
    }
  }

  private static void assertFull(ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.code()).as(e + " " + e.details()).isEqualTo(ErrorCode.STORAGE_FULL));
  }

  @Test
  void whileTheDatabaseIsLockedReadsGoOnAndWritesSayWhenToComeAgain() throws Exception {
    try (RealServer server = new RealServer();
        Connection holder =
            DriverManager.getConnection("jdbc:sqlite:" + server.home().resolve("atoll.db"));
        Statement lock = holder.createStatement()) {
      Atoll atoll = server.impatient();
      Sandbox sandbox = atoll.sandboxes().create(s -> s.name("kept"));
      lock.execute("BEGIN EXCLUSIVE");
      assertThatThrownBy(() -> atoll.sandboxes().create(s -> s.name("new")))
          .isInstanceOfSatisfying(
              ApiException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_BUSY);
                assertThat(e.details()).containsKey("retryAfterSeconds");
              });
      assertThat(sandbox.runCode("20 + 1").text()).hasValue("21");
      assertThat(atoll.sandboxes().list().stream()).hasSize(1);
      lock.execute("ROLLBACK");
      atoll.sandboxes().create(s -> s.name("new")).terminate();
    }
  }

  private static void assertBuildTells(Atoll atoll, Path home, SmallDisk disk) throws IOException {
    String recipe =
        """
        name: more
        base: {template: tiny}
        setup:
          - echo first > /srv/first
          - echo filling it; busybox dd if=/dev/urandom of=/srv/big bs=1M count=40
        """;
    assertRuns(atoll, "tiny", "/srv/below", "below");
    List<String> before = entries(home.resolve("templates"));
    Path filler = disk.fill(24);
    assertThatThrownBy(() -> atoll.templates().create(recipe))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.code()).as(e.toString()).isEqualTo(ErrorCode.TEMPLATE_BUILD_FAILED);
              assertThat(e).hasMessageContaining("filling it").hasMessageContaining("No space");
            });
    assertThat(atoll.templates().list()).noneMatch(one -> one.name().equals("more"));
    assertThat(entries(home.resolve("templates")))
        .containsAll(before)
        .noneMatch(name -> name.startsWith(".building"));
    Files.delete(filler);
    assertRuns(atoll, "tiny", "/srv/below", "below");
    atoll.templates().create(recipe);
    assertRuns(atoll, "more", "/srv/first", "first\n");
  }

  private static void assertRuns(Atoll atoll, String template, String file, String content) {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template(template))) {
      assertThat(sandbox.run("/bin/cat", file).stdout()).isEqualTo(content);
    }
  }

  private static List<String> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }
}
