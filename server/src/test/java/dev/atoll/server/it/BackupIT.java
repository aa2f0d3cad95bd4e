package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server's data: without its database, and in a backup that is restored elsewhere. */
class BackupIT {
  @TempDir Path folder;

  @Test
  void whatSleepsIsWokenWhereABackupIsRestored() throws Exception {
    Path backup = folder.resolve("backup.atoll");
    Path elsewhere = folder.resolve("elsewhere");
    try (RealServer server = new RealServer()) {
      Atoll atoll = server.atoll();
      Sandbox sandbox = atoll.sandboxes().create(s -> s.name("sleeper").persistent());
      assertThat(sandbox.runCode("x = 41; open('kept', 'w').write('here')").error()).isNull();
      String snapshot = sandbox.snapshot("before").id();
      sandbox.runCode("x = 51");
      sandbox.hibernate();
      atoll.secrets().set("weather", s -> s.value("the-value").domain("api.weather.example"));
      write(atoll, backup);
      assertRefusesWithoutItsDatabase(server);
      assertThat(server.atoll().sandboxes().connect("sleeper").runCode("x").text()).hasValue("51");
      server.atoll().snapshots().delete(snapshot);
      server.atoll().secrets().delete("weather");
    }
    assertTornIsRefused(backup, elsewhere);
    RealServer.restore(elsewhere, backup, 0);
    assertThat(RealServer.restore(elsewhere, backup, 3)).contains("is in use");
    try (RealServer restored =
        new RealServer(elsewhere, RealServer.Surroundings.usual(), new String[0])) {
      Atoll atoll = restored.atoll();
      assertThat(atoll.sandboxes().get("sleeper").state()).isEqualTo(SandboxState.HIBERNATED);
      Sandbox woken = atoll.sandboxes().connect("sleeper");
      assertThat(woken.runCode("x, open('kept').read()").text()).hasValue("(51, 'here')");
      assertThat(woken.fork(1)).hasSize(1);
      try (Sandbox from = atoll.sandboxes().create(s -> s.snapshot("before"))) {
        assertThat(from.runCode("x").text()).hasValue("41");
      }
      assertThat(atoll.secrets().list()).anyMatch(secret -> secret.name().equals("weather"));
    }
  }

  private static void write(Atoll atoll, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      atoll.backupTo(out);
    }
  }

  private void assertRefusesWithoutItsDatabase(RealServer server) throws Exception {
    server.stop();
    Path database = server.home().resolve("atoll.db");
    Path away = Files.move(database, folder.resolve("away.db"));
    List<String> before = names(server.home().resolve("snapshots/manifests"));
    assertThat(before).hasSize(2);
    assertThat(server.refusedStart()).contains("but no database").contains("atoll restore");
    Files.writeString(database, "not a database ".repeat(1000));
    assertThat(server.refusedStart()).contains("damaged").contains("atoll restore");
    assertThat(names(server.home().resolve("snapshots/manifests"))).isEqualTo(before);
    Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
    server.start();
  }

  private static void assertTornIsRefused(Path backup, Path elsewhere) throws Exception {
    byte[] whole = Files.readAllBytes(backup);
    Path torn = backup.resolveSibling("torn.atoll");
    Files.write(torn, Arrays.copyOf(whole, whole.length - 10));
    assertThat(RealServer.restore(elsewhere, torn, 3)).contains("torn, tampered with or none");
    whole[whole.length / 2] ^= 1;
    Files.write(torn, whole);
    assertThat(RealServer.restore(elsewhere, torn, 3)).contains("torn, tampered with or none");
    assertThat(names(elsewhere)).doesNotContain("atoll.db", "templates", "snapshots");
    Files.delete(torn);
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }
}
