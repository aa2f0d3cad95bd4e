package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.RunResult;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What programs in real sandboxes can and cannot reach. {@link LocalInternet} stands for the
 * internet; the administrator's setting names it, as it would a company's own mirror.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkIT {
  private static final String HOST = "web.test";
  private static final String URL = "http://" + HOST + "/";

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    DemoPackages.servePip(internet);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable(),
            "--network.registries=" + URL + "simple/");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
  }

  private Sandbox create() {
    return atoll.sandboxes().create(s -> s.network(NetworkMode.ALLOWLIST).allow(HOST + ":80"));
  }

  private static RunResult curl(Sandbox sandbox, String... arguments) {
    List<String> command = new java.util.ArrayList<>(List.of("curl", "-sS", "--max-time", "20"));
    command.addAll(List.of(arguments));
    return sandbox.run(command.toArray(String[]::new));
  }

  @Test
  void onlyWhatIsAllowedIsReachedAndTheRestIsToldAndRecorded() {
    try (Sandbox sandbox = create()) {
      assertThat(curl(sandbox, URL).stdout()).isEqualTo("hello 0");
      RunResult python =
          sandbox.runCode("import urllib.request\nurllib.request.urlopen('" + URL + "').read()");
      assertThat(python.text()).hasValue("b'hello 0'");
      RunResult refused = curl(sandbox, "-i", "http://example.com/");
      assertThat(refused.stdout()).contains("403").contains("example.com");
      assertThat(refused.stdout()).contains("network allow");
      List<Connection> all =
          atoll.connections().list(q -> q.sandbox(sandbox.id())).stream().toList();
      assertThat(all).anyMatch(c -> c.verdict() == ConnectionVerdict.ALLOWED && c.port() == 80);
      assertThat(all)
          .anyMatch(
              c -> c.verdict() == ConnectionVerdict.REFUSED && "example.com".equals(c.name()));
    }
  }

  @Test
  void withoutANetworkNothingIsReached() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.NONE))) {
      assertThat(curl(sandbox, URL).stdout()).doesNotContain("hello");
      assertThat(curl(sandbox, "-i", "https://example.com/").exitCode()).isNotZero();
    }
  }

  @Test
  void aChangeOfThePolicyTakesEffectAtOnce() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.ALLOWLIST))) {
      assertThat(curl(sandbox, URL).stdout()).doesNotContain("hello");
      sandbox.network().allow(HOST + ":80");
      assertThat(curl(sandbox, URL).stdout()).isEqualTo("hello 0");
      sandbox.network().set(NetworkPolicy.of(NetworkMode.NONE));
      assertThat(curl(sandbox, URL).stdout()).doesNotContain("hello");
    }
  }

  @Test
  void openConnectionsDoNotHinderAForkAndAreClosedInTheChild() {
    try (Sandbox sandbox = create()) {
      beginDownload(sandbox);
      try (Sandbox child = sandbox.fork()) {
        assertCutOff(child);
      }
      assertGoesOn(sandbox);
    }
  }

  @Test
  void aSnapshotLeavesADownloadAloneAndHoldsNoneOfIt() {
    try (Sandbox sandbox = create()) {
      beginDownload(sandbox);
      SnapshotInfo snapshot = sandbox.snapshot();
      try (Sandbox later =
          atoll
              .sandboxes()
              .create(
                  s ->
                      s.snapshot(snapshot.id())
                          .network(NetworkMode.ALLOWLIST)
                          .allow(HOST + ":80"))) {
        assertCutOff(later);
      } finally {
        atoll.snapshots().delete(snapshot.id());
      }
      assertGoesOn(sandbox);
    }
  }

  @Test
  void aDownloadIsCutOffBySleepAndTheSandboxWorksOn() {
    try (Sandbox sandbox = create()) {
      beginDownload(sandbox);
      sandbox.hibernate();
      List<Connection> asleep = record(sandbox);
      assertThat(asleep).isNotEmpty().allMatch(c -> c.durationMillis() != null);
      assertThat(asleep).anyMatch(c -> c.bytesReceived() > 1000 && c.reason() != null);
      assertCutOff(sandbox);
    }
  }

  private static void beginDownload(Sandbox sandbox) {
    sandbox.runCode(
        "import urllib.request\nr = urllib.request.urlopen('%sbig')\nfirst = len(r.read(1000))"
            .formatted(URL));
  }

  /** The program is told, the sandbox works on, and so does a new connection. */
  private void assertCutOff(Sandbox sandbox) {
    assertThat(sandbox.runCode("first").text()).hasValue("1000");
    RunResult read =
        sandbox.runCode(
            "try: r.read(); print('all')\nexcept Exception as e: print(type(e).__name__)");
    assertThat(read.stdout().strip()).isIn("IncompleteRead", "ConnectionResetError");
    assertThat(curl(sandbox, URL).stdout()).isEqualTo("hello 0");
    assertThat(record(sandbox))
        .anyMatch(c -> c.verdict() == ConnectionVerdict.ALLOWED && c.durationMillis() != null);
  }

  private static void assertGoesOn(Sandbox sandbox) {
    assertThat(sandbox.runCode("len(r.read())").text())
        .hasValue(String.valueOf(LocalInternet.bigBytes() - 1000));
  }

  private List<Connection> record(Sandbox sandbox) {
    return atoll.connections().list(q -> q.sandbox(sandbox.id())).stream()
        .filter(c -> c.port() != 0)
        .toList();
  }

  @Test
  void packagesCanBeInstalledAndNothingElseIsReached() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.env("PIP_INDEX_URL", URL + "simple/").env("PIP_TRUSTED_HOST", HOST))) {
      assertThat(sandbox.network().info().policy().mode()).isEqualTo(NetworkMode.PACKAGES);
      RunResult pip = sandbox.run("pip", "install", "--quiet", "reefdemo");
      assertThat(pip.exitCode()).as(pip.stderr()).isZero();
      assertThat(sandbox.runCode("import reefdemo; reefdemo.answer").text())
          .hasValue("'hello from pip'");
      RunResult other = curl(sandbox, "-i", "https://example.com/");
      assertThat(other.exitCode()).isNotZero();
      assertThat(other.stderr()).contains("403");
    }
  }
}
