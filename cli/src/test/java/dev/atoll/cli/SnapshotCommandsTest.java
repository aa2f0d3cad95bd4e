package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotCommandsTest {
  private static final String EXPORT = "GET /v1/snapshots/base/export";

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void aSnapshotIsTakenAndItsIdPrinted() {
    cli.answers("POST /v1/sandboxes/box/snapshots", 201, CliHarness.SNAPSHOT);
    assertThat(cli.run("snapshot", "create", "box")).isZero();
    assertThat(cli.out()).isEqualTo("snp_1\n");
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"labels\":{},\"kind\":\"memory\"}"));
    cli.run("snapshot", "create", "box", "--name", "base", "--label", "a=b", "--files");
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json("{\"name\":\"base\",\"labels\":{\"a\":\"b\"},\"kind\":\"files\"}"));
  }

  @Test
  void oneIsShown() {
    cli.answers("GET /v1/snapshots/base", 200, CliHarness.SNAPSHOT);
    assertThat(cli.run("snapshot", "info", "base")).isZero();
    assertThat(cli.out())
        .startsWith("SNAPSHOT")
        .contains("snp_1")
        .containsPattern("size +5.0 MiB, 1.5 KiB own")
        .containsPattern("limits +1.0 CPUs, 512 MiB memory");
  }

  @Test
  void theListShowsKindSizesParentAndNote() {
    String checkpoint =
        CliHarness.SNAPSHOT
            .replace("\"name\":\"base\",", "")
            .replace("snp_1", "snp_2")
            .replace("\"parent\":\"snp_0\"", "\"note\":\"x = 1\\n\\u001b[2Jy\"")
            .replace("\"automatic\":false", "\"automatic\":true");
    cli.answers(
        "GET /v1/snapshots", 200, "{\"items\":[" + CliHarness.SNAPSHOT + "," + checkpoint + "]}");
    assertThat(cli.run("snapshot", "ls")).isZero();
    assertThat(cli.out().lines().map(line -> line.replaceAll(" +", " ")))
        .satisfiesExactly(
            titles -> assertThat(titles).isEqualTo("ID NAME KIND SIZE OWN PARENT SANDBOX AGE NOTE"),
            first -> assertThat(first).startsWith("snp_1 base memory 5.0 MiB 1.5 KiB snp_0 sbx_1"),
            second ->
                assertThat(second)
                    .startsWith("snp_2 - memory, checkpoint 5.0 MiB 1.5 KiB - sbx_1")
                    .endsWith(" x = 1 ^[[2Jy"));
  }

  @Test
  void theListIsNarrowedAndWidened() {
    cli.answers("GET /v1/snapshots", 200, "{\"items\":[" + CliHarness.SNAPSHOT + "]}");
    cli.run("snapshot", "ls", "-q");
    assertThat(cli.out()).isEqualTo("base\n");
    cli.run("snapshot", "ls", "--sandbox", "box", "-l", "a=b", "-o", "json");
    cli.run("snapshot", "ls", "--all");
    assertThat(cli.server.targets())
        .containsExactly(
            "GET /v1/snapshots?limit=50",
            "GET /v1/snapshots?limit=50&sandbox=box&labels.a=b",
            "GET /v1/snapshots?limit=50&automatic=true");
  }

  @Test
  void removesSeveralAndReportsTheMissing() {
    cli.answers("DELETE /v1/snapshots/base", 204, "");
    cli.server.on(
        "DELETE /v1/snapshots/gone",
        exchange -> FakeServer.error(exchange, 404, "snapshot_not_found"));
    assertThat(cli.run("snapshot", "rm", "gone", "base")).isEqualTo(125);
    assertThat(cli.server.targets()).contains("DELETE /v1/snapshots/base");
    assertThat(cli.err()).isEqualTo("atoll: it is snapshot_not_found\n       do better\n");
    assertThat(cli.run("snapshot", "rm", "--force", "gone")).isZero();
  }

  @Test
  void anExportIsWrittenForItsOwnerAlone(@TempDir Path temp) throws Exception {
    cli.answers(EXPORT, 200, "the state");
    Path file = temp.resolve("base.atoll");
    assertThat(cli.run("snapshot", "export", "base", file.toString())).isZero();
    assertThat(file).hasContent("the state");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(temp).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void anExportReplacesAFileOnlyByForce(@TempDir Path temp) throws Exception {
    cli.answers(EXPORT, 200, "the state");
    Path file = Files.writeString(temp.resolve("base.atoll"), "older");
    assertThat(cli.run("snapshot", "export", "base", file.toString())).isEqualTo(2);
    assertThat(file).hasContent("older");
    assertThat(cli.err()).contains("--force");
    assertThat(cli.server.seen()).isEmpty();
    assertThat(cli.run("snapshot", "export", "--force", "base", file.toString())).isZero();
    assertThat(file).hasContent("the state");
    assertThat(cli.run("snapshot", "export", "--force", "base", temp.toString())).isEqualTo(2);
  }

  @Test
  void anExportNeverReplacesWhatIsNoFile(@TempDir Path temp) throws Exception {
    cli.answers(EXPORT, 200, "the state");
    Path socket = temp.resolve("socket");
    try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(socket));
      assertThat(cli.run("snapshot", "export", "--force", "base", socket.toString())).isEqualTo(2);
    }
    assertThat(socket).exists().satisfies(s -> assertThat(Files.isRegularFile(s)).isFalse());
  }

  @Test
  void anExportThatBreaksLeavesTheOldFileAndNothingElse(@TempDir Path temp) throws Exception {
    cli.server.on(
        EXPORT,
        exchange -> {
          FakeServer.lines(exchange, "half of it");
          throw new IOException("cut on purpose");
        });
    Path file = Files.writeString(temp.resolve("base.atoll"), "older");
    assertThat(cli.run("snapshot", "export", "-f", "base", file.toString())).isEqualTo(125);
    assertThat(cli.err()).contains("the connection broke").doesNotContain("\tat ");
    assertThat(temp).isDirectoryContaining("glob:**base.atoll");
    assertThat(temp.toFile().list()).hasSize(1);
    assertThat(file).hasContent("older");
  }

  @Test
  void anExportGoesToStandardOutputUnlessThatIsATerminal() {
    cli.answers(EXPORT, 200, "\u0000the state");
    assertThat(cli.run("snapshot", "export", "base", "-")).isZero();
    assertThat(cli.outBytes()).isEqualTo("\u0000the state".getBytes(StandardCharsets.UTF_8));
    cli.terminal = true;
    assertThat(cli.run("snapshot", "export", "base", "-")).isEqualTo(2);
    assertThat(cli.err()).contains("terminal");
  }

  @Test
  void anExportIntoAFullDiskIsAFailure() throws Exception {
    cli.answers(EXPORT, 200, "the state");
    try (OutputStream full = new FileOutputStream("/dev/full")) {
      cli.stdout = full;
      assertThat(cli.run("snapshot", "export", "base", "-")).isEqualTo(125);
    }
    assertThat(cli.err()).isEqualTo("atoll: cannot write to standard output\n");
  }

  @Test
  void importsComeFromAFileOrStandardInput(@TempDir Path temp) throws Exception {
    cli.answers("POST /v1/snapshots/import", 201, CliHarness.SNAPSHOT);
    Path file = Files.writeString(temp.resolve("base.atoll"), "from a file");
    assertThat(cli.run("snapshot", "import", file.toString(), "--name", "copy")).isZero();
    cli.stdin = "from a pipe";
    assertThat(cli.run("snapshot", "import", "-")).isZero();
    assertThat(cli.out()).isEqualTo("snp_1\nsnp_1\n");
    assertThat(cli.server.targets())
        .containsExactly("POST /v1/snapshots/import?name=copy", "POST /v1/snapshots/import");
    assertThat(cli.server.seen())
        .extracting(FakeServer.Seen::body)
        .containsExactly("from a file", "from a pipe");
    assertThat(cli.run("snapshot", "import", "/nonexistent")).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("atoll: no such file: /nonexistent\n");
  }

  @Test
  void importsSayWhatWasTakenAndWhy(@TempDir Path temp) throws Exception {
    cli.answers(
        "POST /v1/snapshots/import",
        201,
        CliHarness.SNAPSHOT.replace("\"memory\"", "\"files\",\"note\":\"imported as files: x\""));
    Path file = Files.writeString(temp.resolve("base.atoll"), "from a file");
    assertThat(cli.run("snapshot", "import", file.toString(), "--kind", "files")).isZero();
    assertThat(cli.out()).isEqualTo("snp_1\n");
    assertThat(cli.err()).isEqualTo("imported as files: x\n");
    assertThat(cli.server.targets()).containsExactly("POST /v1/snapshots/import?kind=files");
    assertThat(cli.run("snapshot", "import", file.toString(), "--kind", "all")).isEqualTo(2);
  }
}
