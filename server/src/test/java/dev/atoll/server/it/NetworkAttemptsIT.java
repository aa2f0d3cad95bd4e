package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Programs in a real sandbox that want what they may not have, under the widest policy there is
 * unless a test says otherwise. Each is refused, and each attempt that leaves the sandbox is on
 * record.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetworkAttemptsIT {
  /** The ways out: by CONNECT, by a plain request, by SOCKS, and directly. */
  private static final List<String> WAYS =
      List.of(
          "--proxytunnel -x http://127.0.0.1:3128 --noproxy ''",
          "-x http://127.0.0.1:3128 --noproxy ''",
          "-x socks5h://127.0.0.1:3128 --noproxy ''",
          "--noproxy '*'");

  /** An address that the administrator lists, and that no host has. */
  private static final String UNROUTED = "fd77:a7:0:1::77";

  private LocalInternet internet;
  private Version6Address host6;
  private Trap trap;
  private RealServer server;
  private Atoll atoll;
  private Sandbox sandbox;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named("allowed.test", "other.test", "moving.test");
    internet.name("localhost", "127.0.0.1");
    internet.name("loopback.test", "127.0.0.1");
    internet.name("six.test", "::1");
    internet.name("private.test", "10.0.0.1");
    internet.name("mapped.test", "0:0:0:0:0:ffff:7f00:1");
    internet.name("metadata.test", "169.254.169.254");
    internet.name("several.test", "192.168.1.1", "fd00::1", "169.254.169.254");
    host6 = new Version6Address();
    trap = new Trap(InetAddress.getLoopbackAddress(), 0);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable() + "," + UNROUTED + "/128," + host6.address() + "/128",
            "--network.find-registries=false",
            "--network.sandbox.new-names-per-hour=300");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
    internet.close();
    host6.close();
    trap.close();
  }

  @BeforeEach
  void create() {
    sandbox = atoll.sandboxes().create(s -> s.network(NetworkMode.OPEN));
  }

  @AfterEach
  void nothingGotThrough() {
    sandbox.close();
    assertThat(trap.visits()).isZero();
  }

  private List<Connection> record() {
    return atoll.connections().list(q -> q.sandbox(sandbox.id())).stream().toList();
  }

  private List<Connection> refusals() {
    return record().stream().filter(c -> c.verdict() == ConnectionVerdict.REFUSED).toList();
  }

  /** Goes to each target by each way, and fails if one of them answers. */
  private void attempt(List<String> targets) {
    StringBuilder script = new StringBuilder();
    for (String target : targets) {
      for (String way : WAYS) {
        script.append(
            "curl -sS --max-time 20 -o /dev/null -w '%%{http_code} ' %s http://%s/ 2>/dev/null\n"
                .formatted(way, target));
      }
    }
    String answers =
        sandbox.shell(script.toString(), o -> o.timeout(Duration.ofMinutes(3))).stdout();
    assertThat(answers.split(" ", -1)).as(answers).doesNotContain("200", "204", "301", "404");
  }

  private void assertForbidden(String name) {
    assertThat(refusals())
        .as(name)
        .anyMatch(c -> c.name().equals(name) && c.rule().startsWith("forbidden "));
  }

  @Test
  void theHostAndItsLoopbackServicesAreOutOfReach() throws IOException {
    List<String> addresses =
        new ArrayList<>(List.of("127.0.0.1", "127.0.0.2", "[::1]", "[::ffff:127.0.0.1]"));
    for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
      one.inetAddresses()
          .filter(a -> !a.isLinkLocalAddress() && !a.isLoopbackAddress())
          .map(InetAddress::getHostAddress)
          .map(a -> a.contains(":") ? "[" + a.replaceFirst("%.*", "") + "]" : a)
          .forEach(addresses::add);
    }
    List<Integer> ports = List.of(trap.port(), atoll.endpoint().url().getPort());
    for (int port : ports) {
      attempt(addresses.stream().map(a -> a + ":" + port).toList());
    }
    attempt(List.of("localhost.:" + trap.port(), "0.0.0.0:" + trap.port()));
    assertForbidden("127.0.0.1");
    assertForbidden("127.0.0.2");
    assertThat(refusals()).anyMatch(c -> c.name().contains("::1") || c.name().contains("0:1"));
  }

  @Test
  void otherSpellingsOfLoopbackLeadNowhere() {
    List<String> spellings =
        List.of("0x7f000001", "2130706433", "017700000001", "127.1", "0x7f.0.0.1");
    attempt(spellings.stream().map(s -> s + ":" + trap.port()).toList());
    // curl reads some of them as 127.0.0.1 itself; the rest are names that do not exist.
    assertThat(record()).isNotEmpty().noneMatch(c -> c.verdict() == ConnectionVerdict.ALLOWED);
  }

  @Test
  void metadataServicesAreOutOfReach() {
    attempt(List.of("169.254.169.254", "[fd00:ec2::254]", "168.63.129.16", "metadata.test"));
    assertForbidden("169.254.169.254");
    assertForbidden("168.63.129.16");
    assertForbidden("metadata.test");
  }

  @Test
  void privateRangesAreOutOfReach() {
    List<String> addresses =
        List.of("10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "224.0.0.1");
    attempt(addresses);
    addresses.forEach(this::assertForbidden);
    List<String> six =
        List.of("[fc00::1]", "[fe80::1]", "[64:ff9b::a00:1]", "[2002:a00:1::1]", "[::a00:1]");
    attempt(six);
    assertThat(
            refusals().stream()
                .filter(c -> c.name().contains(":"))
                .map(Connection::name)
                .distinct())
        .hasSizeGreaterThanOrEqualTo(six.size());
  }

  @Test
  void namesThatStandForThemAreOutOfReach() {
    List<String> names =
        List.of("loopback.test", "six.test", "private.test", "mapped.test", "several.test");
    attempt(names.stream().map(n -> n + ":" + trap.port()).toList());
    attempt(names);
    names.forEach(this::assertForbidden);
    assertThat(refusals()).anyMatch(c -> c.way() == ConnectionWay.DNS);
  }

  @Test
  void aNameThatMovesToTheHostIsFollowedByNobody() throws IOException {
    String moving = "http://moving.test:" + trap.port() + "/";
    // What stands at the first address has no such port: it is the address that matters.
    internet.named("moving.test");
    assertThat(sandbox.run("curl", "-sS", "http://moving.test/").stdout()).isEqualTo("hello 0");
    internet.name("moving.test", "127.0.0.1");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              sandbox.run("curl", "-sS", "--max-time", "10", moving);
              assertForbidden("moving.test");
            });
    assertThat(record())
        .filteredOn(c -> c.address() != null)
        .allMatch(c -> internet.address().equals(c.address()));
  }

  @Test
  void anAllowedNameWithAnotherInsideTlsIsCutOffBeforeAByteIsSent() throws IOException {
    sandbox.network().set(NetworkPolicy.of(NetworkMode.ALLOWLIST, "allowed.test"));
    try (Trap tls = internet.trap(LocalInternet.HTTPS)) {
      assertThat(greet("other.test").stdout()).isEqualTo("failed\n");
      assertThat(greet("").stdout()).isEqualTo("failed\n");
      RunResult plain = sandbox.run("curl", "-sS", "--max-time", "10", "http://allowed.test:443/");
      assertThat(plain.exitCode()).isNotZero();
      assertThat(tls.bytes()).isZero();
      assertThat(refusals().stream().filter(c -> c.rule().equals("sni"))).hasSize(3);
      assertThat(refusals())
          .anyMatch(c -> String.valueOf(c.reason()).contains("TLS names other.test instead"));
      // The same with the right name gets through, so that the rest was for the right reason.
      greet("allowed.test");
      await().untilAsserted(() -> assertThat(tls.bytes()).isPositive());
    }
  }

  private RunResult greet(String name) {
    return sandbox.runCode(
        """
        import socket, ssl
        context = ssl._create_unverified_context()
        try:
            with socket.create_connection(('allowed.test', 443), 10) as plain:
                context.wrap_socket(plain, server_hostname=%s or None)
            print('spoke')
        except OSError:
            print('failed')
        """
            .formatted("'" + name + "'"),
        o -> o.timeout(Duration.ofSeconds(30)));
  }

  @Test
  void dataInNamesIsRefusedBeforeItAddsUp() {
    sandbox.network().set(NetworkPolicy.of(NetworkMode.ALLOWLIST, "*.tunnel.test"));
    RunResult sent =
        sandbox.runCode(
            """
            import collections, secrets, socket
            answers = collections.Counter()
            def ask(name):
                try: socket.getaddrinfo(name, 443)
                except socket.gaierror as e: answers[e.errno] += 1
            for _ in range(60): ask(secrets.token_hex(28) + '.' + secrets.token_hex(28) + '.tunnel.test')
            for _ in range(20): ask(secrets.token_hex(28) + '.elsewhere.test')
            print(answers)
            """);
    assertThat(sent.error()).isNull();
    List<Connection> refused = refusals();
    assertThat(refused.stream().filter(c -> c.name().endsWith("elsewhere.test"))).hasSize(20);
    assertThat(refused).anyMatch(c -> String.valueOf(c.reason()).contains("new names an hour"));
    // What left before the limit: a few hundred bytes of 3360.
    long left =
        record().stream()
            .filter(c -> c.name().endsWith("tunnel.test"))
            .filter(c -> c.verdict() == ConnectionVerdict.FAILED)
            .count();
    assertThat(left).isBetween(1L, 15L);
  }

  /** The sandbox's own kernel leads all of them to the agent, and nothing beyond. */
  @Test
  void datagramsAndAddressesWithoutAProxyAreRefusedAndOnRecord() {
    String code =
        """
        import socket
        def attempt(what, step):
            try: print(what, 'answered' if step() else 'failed')
            except OSError as e: print(what, 'failed')
        def udp(host, port):
            s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, socket.SOCK_DGRAM)
            s.settimeout(5)
            s.connect((host, port))
            s.send(b'x' * 100)
            return s.recv(100)
        def tcp(host, port):
            with socket.create_connection((host, port), 5) as s:
                s.send(b'x')
                return s.recv(100)
        attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
        attempt('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
        attempt('udp', lambda: udp('192.0.2.1', 53))
        attempt('quic', lambda: udp(socket.gethostbyname('allowed.test'), 443))
        attempt('time', lambda: udp('169.254.169.123', 123))
        attempt('udp6', lambda: udp('2001:db8::1', 53))
        attempt('own udp6', lambda: udp('::1', 5353))
        attempt('tcp', lambda: tcp('192.0.2.1', 443))
        attempt('odd port', lambda: tcp('10.9.8.7', 60123))
        attempt('multicast', lambda: tcp('224.0.0.1', 443))
        attempt('tcp6', lambda: tcp('2001:db8::1', 443))
        attempt('metadata', lambda: tcp('169.254.169.254', 8080))
        """;
    for (String user : List.of("sandbox", "root")) {
      RunResult result = sandbox.run(List.of("python3", "-c", code), o -> o.user(user));
      assertThat(result.stdout().lines().toList())
          .as(result.stderr())
          .hasSize(12)
          .allMatch(line -> line.endsWith(" failed"));
    }
    assertOnRecord("192.0.2.1", 53, ConnectionWay.UDP);
    assertOnRecord("allowed.test", 443, ConnectionWay.UDP);
    assertOnRecord("169.254.169.123", 123, ConnectionWay.UDP);
    assertOnRecord("192.0.2.1", 443, ConnectionWay.DIRECT);
    assertOnRecord("10.9.8.7", 60123, ConnectionWay.DIRECT);
    assertOnRecord("169.254.169.254", 8080, ConnectionWay.DIRECT);
    assertOnRecord("2001:db8::1", 443, ConnectionWay.DIRECT);
    assertOnRecord("2001:db8::1", 53, ConnectionWay.UDP);
    assertThat(record()).noneMatch(c -> c.name().equals("::1"));
  }

  @Test
  void addressesOfVersion6LeadToTheHostAndOwnOnesStayInside() {
    String code =
        """
        import socket, threading
        server = socket.create_server(('::1', 0), family=socket.AF_INET6)
        def serve():
            peer = server.accept()[0]
            peer.sendall(b'own')
            peer.close()
        threading.Thread(target=serve).start()
        with socket.create_connection(server.getsockname()[:2], 20) as s:
            print(s.recv(10).decode())
        for host in ('fd00:ec2::254', '%s'):
            try:
                with socket.create_connection((host, 8123), 60) as s: print(s.recv(10))
            except OSError as e: print('failed')
        """
            .formatted(UNROUTED);
    RunResult result = sandbox.run("python3", "-c", code);
    assertThat(result.stdout()).as(result.stderr()).isEqualTo("own\nfailed\nfailed\n");
    assertOnRecord("fd00:ec2::254", 8123, ConnectionWay.DIRECT);
    assertRecorded(
        ConnectionVerdict.FAILED,
        c -> UNROUTED.equals(c.name()) && c.way() == ConnectionWay.DIRECT);
  }

  @Test
  void anAddressOfVersion6IsReachedWhereItIsAllowed() throws IOException {
    String address = host6.address();
    sandbox.network().set(NetworkPolicy.of(NetworkMode.ALLOWLIST, "[" + address + "]:5577"));
    try (ServerSocket peer = new ServerSocket(5577, 5, InetAddress.getByName(address))) {
      assertThat(reversedBy(peer, address)).isEqualTo("True");
      internet.name("host6.test", address);
      sandbox.network().set(NetworkPolicy.of(NetworkMode.ALLOWLIST, "host6.test:5577"));
      assertThat(reversedBy(peer, "host6.test")).isEqualTo("True");
    }
    assertCarried(address, address);
    assertCarried("host6.test", address);
  }

  /** Neither HTTP nor TLS, on a port of no fame, by a program that has never heard of proxies. */
  @Test
  void aProtocolOfOnesOwnIsCarriedWhereItIsAllowed() throws IOException {
    sandbox.network().set(NetworkPolicy.of(NetworkMode.ALLOWLIST, "allowed.test:5577"));
    try (ServerSocket peer = new ServerSocket(5577, 5, InetAddress.getByName(internet.address()))) {
      assertThat(reversedBy(peer, "allowed.test")).isEqualTo("True");
      RunResult other =
          sandbox.runCode("socket.create_connection(('allowed.test', 5578), 30).recv(1)");
      assertThat(other.error()).isNotNull();
    }
    assertCarried("allowed.test", internet.address());
    assertOnRecord("allowed.test", 5578, ConnectionWay.DIRECT);
  }

  /** Has a program send bytes to a port that answers them reversed, and says whether it did. */
  private @Nullable String reversedBy(ServerSocket peer, String host) {
    Thread.ofVirtual().start(() -> answerReversed(peer));
    RunResult result =
        sandbox.runCode(
            """
            import socket
            with socket.create_connection(('%s', %d), 30) as s:
                s.sendall(bytes(range(256)))
                s.shutdown(socket.SHUT_WR)
                said = b''.join(iter(lambda: s.recv(1000), b''))
            said == bytes(reversed(range(256)))
            """
                .formatted(host, peer.getLocalPort()));
    assertThat(result.error()).isNull();
    return result.text().orElse(null);
  }

  private void assertCarried(String name, String literal) {
    String address = InetAddress.ofLiteral(literal).getHostAddress();
    assertRecorded(
        ConnectionVerdict.ALLOWED,
        c ->
            c.name().equals(name)
                && address.equals(c.address())
                && c.port() == 5577
                && c.way() == ConnectionWay.DIRECT);
  }

  private static void answerReversed(ServerSocket server) {
    try (Socket one = server.accept()) {
      byte[] said = one.getInputStream().readAllBytes();
      for (int i = said.length - 1; i >= 0; i--) {
        one.getOutputStream().write(said[i]);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertOnRecord(String name, int port, ConnectionWay way) {
    assertRecorded(
        ConnectionVerdict.REFUSED,
        c -> c.name().equals(name) && c.port() == port && c.way() == way);
  }

  /** The record is written a moment after the connection. */
  private void assertRecorded(ConnectionVerdict verdict, Predicate<Connection> expected) {
    await()
        .untilAsserted(
            () -> assertThat(record()).anyMatch(c -> c.verdict() == verdict && expected.test(c)));
  }
}
