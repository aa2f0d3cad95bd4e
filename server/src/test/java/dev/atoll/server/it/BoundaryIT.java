package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What code inside can see, compared with what it may see. */
class BoundaryIT {
  private static final Set<String> DEVICES =
      Set.of(
          "fd",
          "full",
          "fuse",
          "net",
          "net/tun",
          "null",
          "ptmx",
          "pts",
          "pts/ptmx",
          "random",
          "shm",
          "stderr",
          "stdin",
          "stdout",
          "tty",
          "urandom",
          "zero");
  private static final Set<String> MOUNTS =
      Set.of("/", "/dev", "/dev/pts", "/dev/shm", "/proc", "/sys", "/tmp");
  private static final Set<String> VARIABLES =
      Set.of(
          "ATOLL_CPUS",
          "ATOLL_SANDBOX_ID",
          "HOME",
          "HTTPS_PROXY",
          "HTTP_PROXY",
          "LANG",
          "LOGNAME",
          "NODE_EXTRA_CA_CERTS",
          "NODE_USE_ENV_PROXY",
          "NO_PROXY",
          "PATH",
          "PWD",
          "OLDPWD",
          "REQUESTS_CA_BUNDLE",
          "SHELL",
          "SHLVL",
          "SSL_CERT_FILE",
          "USER",
          "_",
          "http_proxy",
          "https_proxy",
          "no_proxy");
  private static final Set<String> PROCESSES =
      Set.of("agent", "atoll-supervise", "python3", "sh", "ps", "sort");

  private static RealServer server;
  private static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    Atoll atoll = server.atoll();
    sandbox = atoll.sandboxes().create();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static List<String> lines(String command) {
    RunResult result = sandbox.shell(command);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout().lines().toList();
  }

  @Test
  void theUserIsNotRootAndCannotBecomeIt() {
    assertThat(lines("id -u")).containsExactly("1000");
    assertThat(
            lines("grep -E '^Cap(Prm|Eff|Inh|Amb)' /proc/self/status | awk '{print $2}' | sort -u"))
        .containsExactly("0000000000000000");
    assertThat(sandbox.runCode("import os\nos.setuid(0)").error()).isNotNull();
  }

  @Test
  void noDeviceButTheUsualOnes() {
    Set<String> found =
        new TreeSet<>(
            lines(
                // In char/ each device is there once more, as a link from its number.
                "cd /dev && { find . -mindepth 1 -not -path './char' -not -path './char/*' | sed 's|^./||';"
                    + " find char -mindepth 1 -exec readlink -f {} + 2>/dev/null | sed 's|^/dev/||'; }"
                    + " | grep -v '^fd/' | grep -v '^pts/[0-9]'"));
    found.removeAll(DEVICES);
    assertThat(found).isEmpty();
  }

  @Test
  void noMountButTheSandboxsOwn() {
    Set<String> found = new TreeSet<>(lines("awk '{print $2}' /proc/mounts"));
    found.removeAll(MOUNTS);
    assertThat(found).isEmpty();
    assertThat(lines("cat /proc/mounts"))
        .noneMatch(line -> line.contains(server.home().toString()));
  }

  @Test
  void noVariableOfTheHost() {
    Set<String> found = new TreeSet<>(lines("env | sed 's/=.*//'"));
    found.removeAll(VARIABLES);
    assertThat(found).isEmpty();
    assertThat(sandbox.runCode("import os; 'must-not-be-seen' in str(os.environ)").text())
        .hasValue("False");
  }

  @Test
  void noProcessOfTheHost() {
    Set<String> found = new TreeSet<>(lines("ps -eo comm= | sort -u"));
    found.removeAll(PROCESSES);
    assertThat(found).isEmpty();
    assertThat(sandbox.runCode("import os; os.kill(" + server.pid() + ", 0)").error()).isNotNull();
  }

  @Test
  void whatTheServerMakesIsForItsOwnerAlone() throws IOException {
    assertThat(Files.readAllLines(Path.of("/proc/" + server.pid() + "/status")))
        .contains("Umask:\t0077");
  }

  @Test
  void noFileOfTheHost() {
    assertThat(lines("test -e " + server.home() + " && echo there; cat /etc/hostname"))
        .containsExactly("sandbox");
    assertThat(lines("find /proc/1/root/ -maxdepth 1 2>/dev/null | wc -l")).hasSize(1);
    assertThat(
            lines(
                "find /sys -type f 2>/dev/null | grep -v -E '^/sys/(devices/system/(cpu|node)|kernel|fs|class|bus|block|dev|firmware|module|power)' | wc -l"))
        .containsExactly("0");
    assertThat(lines("ls /sys/class/net 2>/dev/null | grep -v '^lo$' | wc -l"))
        .containsExactly("0");
  }

  @Test
  void noNetwork() {
    assertThat(sandbox.shell("curl -sf -m 5 http://192.0.2.1/").exitCode()).isNotZero();
    assertThat(
            sandbox.shell("curl -s -m 5 " + "http://127.0.0.1:" + port() + "/healthz").exitCode())
        .isNotZero();
    RunResult socket =
        sandbox.runCode(
            "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(5)\ns.connect(('192.0.2.1', 53))\ns.send(b'x')\ns.recv(1)");
    assertThat(socket.error()).isNotNull();
    assertThat(
            sandbox
                .runCode("import socket\n[n for _, n in socket.if_nameindex() if n != 'lo']")
                .text())
        .hasValue("[]");
  }

  private static int port() {
    return server.atoll().endpoint().url().getPort();
  }

  @Test
  void theAgentCannotBeTouched() {
    assertThat(sandbox.shell("kill -9 1").exitCode()).isNotZero();
    assertThat(sandbox.shell("head -c 1 /proc/1/mem").exitCode()).isNotZero();
    // Its standard streams are the null device; the stream to the host is none of them.
    assertThat(
            sandbox
                .shell(
                    "for f in /proc/1/fd/*; do [ \"$(readlink $f)\" = /dev/null ] && continue; "
                        + "(echo x > $f) 2>/dev/null && echo wrote $f; done; true")
                .stdout())
        .doesNotContain("wrote");
    assertThat(sandbox.shell("echo x >> /opt/atoll/agent").exitCode()).isNotZero();
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
  }

  @Test
  void homeAndTmpAreWritableAndTheRestIsNot() {
    assertThat(lines("touch ~/a /tmp/b && echo ok")).containsExactly("ok");
    assertThat(sandbox.shell("touch /etc/x || touch /usr/x || touch /x").exitCode()).isNotZero();
  }
}
