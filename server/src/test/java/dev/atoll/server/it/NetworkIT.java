package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What programs in real sandboxes can and cannot reach. A server on an address of this host stands
 * for the internet; the administrator's setting names it, as it would a company's own mirror.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkIT {
  private RealServer server;
  private Atoll atoll;
  private HttpServer web;
  private String address;
  private int port;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    InetAddress own = ownAddress();
    address = own.getHostAddress();
    web = HttpServer.create(new InetSocketAddress(own, 0), 50);
    port = web.getAddress().getPort();
    web.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    web.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          byte[] answer = ("hello " + body.length).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    web.createContext(
        "/big",
        exchange -> {
          byte[] block = new byte[1 << 20];
          exchange.sendResponseHeaders(200, 64L << 20);
          for (int i = 0; i < 64; i++) {
            exchange.getResponseBody().write(block);
          }
          exchange.close();
        });
    serveRegistry(web);
    web.start();
    server =
        new RealServer(
            "--network.reachable=" + address + "/32", "--network.registries=" + url() + "simple/");
    atoll = server.atoll();
  }

  /** An address that is not loopback; any will do, since nothing leaves this host. */
  private static InetAddress ownAddress() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(a -> a instanceof Inet4Address && !a.isLoopbackAddress() && !a.isLinkLocalAddress())
        .findFirst()
        .orElseThrow(() -> new IOException("this host has no address but loopback"));
  }

  @AfterAll
  void stop() throws IOException {
    web.stop(0);
    server.close();
  }

  private String url() {
    return "http://" + address + ":" + port + "/";
  }

  private static RunResult curl(Sandbox sandbox, String... arguments) {
    List<String> command = new java.util.ArrayList<>(List.of("curl", "-sS", "--max-time", "20"));
    command.addAll(List.of(arguments));
    return sandbox.run(command.toArray(String[]::new));
  }

  @Test
  void onlyWhatIsAllowedIsReachedAndTheRestIsToldAndRecorded() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.network(NetworkMode.ALLOWLIST).allow(address + ":" + port))) {
      assertThat(curl(sandbox, url()).stdout()).isEqualTo("hello 0");
      RunResult python =
          sandbox.runCode("import urllib.request\nurllib.request.urlopen('" + url() + "').read()");
      assertThat(python.text()).isEqualTo("b'hello 0'");
      RunResult refused = curl(sandbox, "-i", "http://example.com/");
      assertThat(refused.stdout()).contains("403").contains("example.com");
      assertThat(refused.stdout()).contains("network allow");
      List<Connection> all =
          atoll.connections().list(q -> q.sandbox(sandbox.id())).stream().toList();
      assertThat(all).anyMatch(c -> c.verdict() == ConnectionVerdict.ALLOWED && c.port() == port);
      assertThat(all)
          .anyMatch(
              c -> c.verdict() == ConnectionVerdict.REFUSED && "example.com".equals(c.name()));
    }
  }

  @Test
  void withoutANetworkNothingIsReached() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.NONE))) {
      assertThat(curl(sandbox, url()).stdout()).doesNotContain("hello");
      assertThat(curl(sandbox, "-i", "https://example.com/").exitCode()).isNotZero();
    }
  }

  @Test
  void theHostItselfAndPrivateAddressesAreOutOfReachHoweverOpenThePolicy() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.OPEN))) {
      int own = server.atoll().endpoint().url().getPort();
      for (String target :
          List.of(
              "http://127.0.0.1.:" + own + "/healthz",
              "http://10.0.0.1/",
              "http://192.168.1.1/",
              "http://169.254.169.254/latest/meta-data/",
              "http://[fd00::1]/",
              "http://0x7f000001:" + own + "/healthz",
              "http://localhost.:" + own + "/healthz")) {
        RunResult answer =
            curl(
                sandbox,
                "--noproxy",
                "",
                "-x",
                "http://127.0.0.1:3128",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                target);
        assertThat(answer.stdout()).as(target).isIn("403", "502", "000");
      }
      RunResult raw =
          sandbox.runCode(
              "import socket\ntry:\n    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('raw')\n"
                  + "except OSError: print('no')");
      assertThat(raw.stdout()).isEqualTo("no\n");
    }
  }

  @Test
  void aChangeOfThePolicyTakesEffectAtOnce() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.ALLOWLIST))) {
      assertThat(curl(sandbox, url()).stdout()).doesNotContain("hello");
      sandbox.network().allow(address + ":" + port);
      assertThat(curl(sandbox, url()).stdout()).isEqualTo("hello 0");
      sandbox.network().set(NetworkPolicy.of(NetworkMode.NONE));
      assertThat(curl(sandbox, url()).stdout()).doesNotContain("hello");
    }
  }

  @Test
  void openConnectionsDoNotHinderAForkAndAreClosedInTheChild() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.network(NetworkMode.ALLOWLIST).allow(address + ":" + port))) {
      sandbox.runCode(
          "import urllib.request\nr = urllib.request.urlopen('"
              + url()
              + "big')\nfirst = len(r.read(1000))");
      try (Sandbox child = sandbox.fork()) {
        assertThat(child.runCode("first").text()).isEqualTo("1000");
        assertThat(
                child
                    .runCode(
                        "try:\n    n = len(r.read())\nexcept Exception as e: n = -1\nn < (64 << 20) - 1000")
                    .text())
            .isEqualTo("True");
        assertThat(curl(child, url()).stdout()).isEqualTo("hello 0");
      }
      assertThat(sandbox.runCode("len(r.read())").text())
          .isEqualTo(String.valueOf((64 << 20) - 1000));
    }
  }

  @Test
  void packagesCanBeInstalledAndNothingElseIsReached() {
    try (Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s -> s.env("PIP_INDEX_URL", url() + "simple/").env("PIP_TRUSTED_HOST", address))) {
      assertThat(sandbox.network().info().policy().mode()).isEqualTo(NetworkMode.PACKAGES);
      RunResult pip = sandbox.run("pip", "install", "--quiet", "reefdemo");
      assertThat(pip.exitCode()).as(pip.stderr()).isZero();
      assertThat(sandbox.runCode("import reefdemo; reefdemo.answer").text()).isEqualTo("42");
      RunResult other = curl(sandbox, "-i", "https://example.com/");
      assertThat(other.exitCode()).isNotZero();
      assertThat(other.stderr()).contains("403");
    }
  }

  /** The smallest registry that pip takes: an index of one project, and its wheel. */
  private static void serveRegistry(HttpServer server) throws IOException {
    byte[] wheel = wheel();
    String file = "reefdemo-1.0-py3-none-any.whl";
    serve(
        server,
        "/simple/reefdemo/",
        ("<a href=\"/files/" + file + "\">" + file + "</a>").getBytes(StandardCharsets.UTF_8),
        "text/html");
    serve(server, "/files/" + file, wheel, "application/octet-stream");
  }

  private static void serve(HttpServer server, String path, byte[] body, String type) {
    server.createContext(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  private static byte[] wheel() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      Map<String, String> files =
          Map.of(
              "reefdemo.py", "answer = 42\n",
              "reefdemo-1.0.dist-info/METADATA",
                  "Metadata-Version: 2.1\nName: reefdemo\nVersion: 1.0\n",
              "reefdemo-1.0.dist-info/WHEEL",
                  "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
              "reefdemo-1.0.dist-info/RECORD", "reefdemo.py,,\n");
      for (Map.Entry<String, String> entry : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
    return bytes.toByteArray();
  }
}
