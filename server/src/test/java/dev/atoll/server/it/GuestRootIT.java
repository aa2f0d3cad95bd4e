package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Root of a guest, where a template allows it, rules over files and programs of its sandbox, and
 * not over the agent: it has no way to the stream to the host, nor to the log.
 */
class GuestRootIT {
  /** CAP_SETPCAP, CAP_NET_ADMIN, CAP_NET_RAW, CAP_SYS_ADMIN. */
  private static final long AGENTS_OWN = 1 << 8 | 1 << 12 | 1 << 13 | 1 << 21;

  private static RealServer server;
  private static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    Atoll atoll = server.atoll();
    sandbox = atoll.sandboxes().create();
    sandbox.files().write("/tmp/probe.py", probe());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static byte[] probe() throws IOException {
    try (InputStream in = GuestRootIT.class.getResourceAsStream("guest_root_probe.py")) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static RunResult asRoot(String command) {
    return sandbox.shell(command, o -> o.user("root"));
  }

  @Test
  void noWayLeadsIntoTheAgentOrItsDescriptors() throws Exception {
    RunResult result = asRoot("exec python3 /tmp/probe.py");
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    assertThat(result.stdout().lines())
        .as("what was tried, of processes of the agent")
        .hasSizeGreaterThan(50)
        .allMatch(line -> line.startsWith("refused "));
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
    assertThat(log()).doesNotContain("written by root of the guest");
  }

  @Test
  void whatTheAgentAloneHasNoProgramOfRootCanGet() {
    RunResult result = asRoot("grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status");
    assertThat(result.stdout().lines()).hasSize(5);
    assertThat(result.stdout().lines())
        .allSatisfy(
            line ->
                assertThat(
                        Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16)
                            & AGENTS_OWN)
                    .as(line)
                    .isZero());
  }

  @Test
  void theAgentDoesNotChangeWithItsFile() {
    RunResult result =
        asRoot(
            """
            python3 - <<'END'
            import os
            file = os.open('/opt/atoll/agent', os.O_RDWR)
            size = os.fstat(file).st_size
            before = os.pread(file, size, 0)
            os.pwrite(file, b'\\xcc' * size, 0)
            os.system('true')
            os.pwrite(file, before, 0)
            END
            cp /opt/atoll/agent /tmp/agent; tr '\\0' '\\314' < /tmp/agent > /opt/atoll/agent
            """);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
    assertThat(sandbox.shell("echo still here").stdout()).isEqualTo("still here\n");
    sandbox.files().write("/tmp/file", "content".getBytes(StandardCharsets.UTF_8));
    assertThat(asRoot("cat /tmp/agent > /opt/atoll/agent").exitCode()).isZero();
  }

  @Test
  void nothingCanBeLaidOverWhatTheAgentReads() {
    assertThat(asRoot("python3 -c \"$(cat /tmp/probe.py)\" mounts").stdout().lines())
        .hasSizeGreaterThan(3)
        .allMatch(line -> line.startsWith("refused "));
  }

  @Test
  void rootWhoEndsTheAgentEndsItsOwnSandboxAlone() throws Exception {
    Sandbox victim = server.atoll().sandboxes().create();
    String machine = server.machineOf(victim.id());
    try {
      victim.shell("kill -9 1", o -> o.user("root"));
    } catch (RuntimeException e) {
      // The sandbox may be gone before the answer is.
      assertThat(e).hasMessageContaining("sandbox");
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(server.atoll().sandboxes().get(victim.id()).state())
                    .isEqualTo(SandboxState.FAILED));
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
    server.assertNothingLeft(machine);
  }

  private static String log() throws Exception {
    Path log = server.home().resolve("sandboxes").resolve(server.machineOf(sandbox.id()));
    return Files.readString(log.resolve("runsc.log"), StandardCharsets.ISO_8859_1);
  }
}
