package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.CeilingRows;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.Cidr;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Refused;
import dev.atoll.protocol.wire.Resolved;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EgressTest {
  private static final NetworkPolicy OPEN = NetworkPolicy.of(NetworkMode.OPEN);

  @TempDir Path folder;

  @Test
  void whatIsAllowedIsCarriedBothWaysToBothEnds() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness =
            new EgressHarness(folder, NetworkPolicy.of(NetworkMode.ALLOWLIST, "echo.test"))) {
      harness.name("echo.test");
      int id = harness.guest.connect("Echo.test.", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      harness.guest.data(id, "hello ");
      harness.guest.data(id, "world");
      harness.guest.eof(id);
      assertThat(harness.guest.text(id)).isEqualTo("hello world");
      harness.guest.closed(id);

      await().untilAsserted(() -> assertThat(harness.egress.openConnections()).isZero());
      Connection row = harness.record().getFirst();
      assertThat(row.verdict()).isEqualTo(ConnectionVerdict.ALLOWED);
      assertThat(row.rule()).isEqualTo("allow echo.test");
      assertThat(row.address()).isEqualTo("127.0.0.1");
      assertThat(row.way()).isEqualTo(ConnectionWay.SOCKS);
      assertThat(row.bytesSent()).isEqualTo(11);
      assertThat(row.bytesReceived()).isEqualTo(11);
      assertThat(row.durationMillis()).isNotNull();
      assertThat(row.reason()).isNull();
    }
  }

  @Test
  void hostsWithIpv6AddressesAreReachedByNameAndByAddress() throws IOException {
    InetAddress six = Cidr.literal("::1");
    try (FakeInternet server = FakeInternet.echo(six);
        EgressHarness harness =
            new EgressHarness(
                folder,
                OPEN,
                NetworkSettings.defaults(),
                Registries.none(),
                List.of(NetworkRule.parse("[::1]")))) {
      harness.names.put("six.test", List.of(six));
      for (String host : List.of("six.test", "::1")) {
        int id = harness.guest.connect(host, server.port());
        assertThat(harness.guest.next(id).hasConnected()).as(host).isTrue();
        harness.guest.data(id, "hello");
        harness.guest.eof(id);
        assertThat(harness.guest.text(id)).isEqualTo("hello");
        harness.guest.closed(id);
      }
      await().untilAsserted(() -> assertThat(harness.egress.openConnections()).isZero());
      assertThat(harness.record())
          .hasSize(2)
          .allMatch(row -> row.verdict() == ConnectionVerdict.ALLOWED)
          .allMatch(row -> six.getHostAddress().equals(row.address()));
    }
  }

  @Test
  void noDatagramIsAllowedAndEachIsOnRecord() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      int id = harness.guest.connect("192.0.2.1", 53, Connect.Way.UDP);
      Frame answer = harness.guest.next(id);
      assertThat(answer.getRefused().getReason()).isEqualTo(Refused.Reason.POLICY);
      Connection row = harness.record().getFirst();
      assertThat(row.verdict()).isEqualTo(ConnectionVerdict.REFUSED);
      assertThat(row.way()).isEqualTo(ConnectionWay.UDP);
      assertThat(row.rule()).isEqualTo("udp");
    }
  }

  @Test
  void aServerThatEndsFirstStillTakesWhatComes() throws IOException {
    AtomicReference<String> taken = new AtomicReference<>();
    try (FakeInternet server =
            new FakeInternet(
                socket -> {
                  socket.getOutputStream().write("banner".getBytes(StandardCharsets.UTF_8));
                  socket.shutdownOutput();
                  taken.set(
                      new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                });
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("echo.test");
      int id = harness.guest.connect("echo.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      assertThat(harness.guest.text(id)).isEqualTo("banner");
      harness.guest.data(id, "late");
      harness.guest.eof(id);
      await().untilAsserted(() -> assertThat(taken).hasValue("late"));
    }
  }

  @Test
  void whatAProgramSentBeforeItLeftStillArrives() throws IOException {
    AtomicLong taken = new AtomicLong();
    CountDownLatch left = new CountDownLatch(1);
    try (FakeInternet server =
            new FakeInternet(
                socket -> {
                  left.await();
                  taken.set(socket.getInputStream().readAllBytes().length);
                });
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("slow.test");
      int id = harness.guest.connect("slow.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      for (int i = 0; i < 4; i++) {
        harness.guest.data(id, new byte[50_000]);
      }
      harness.guest.eof(id);
      harness.guest.closed(id);
      left.countDown();
      await().untilAsserted(() -> assertThat(taken).hasValue(200_000));
      await().untilAsserted(() -> assertThat(harness.egress.openConnections()).isZero());
    }
  }

  @Test
  void aRefusalSaysWhatWouldAllowIt() {
    try (EgressHarness harness = new EgressHarness(folder, NetworkPolicy.defaults())) {
      Refused refused = refused(harness, "example.test", 443);
      assertThat(refused.getReason()).isEqualTo(Refused.Reason.POLICY);
      assertThat(refused.getMessage())
          .isEqualTo(
              "example.test:443 is not among the package registries; allow it with"
                  + " `atoll network allow sbx_1 example.test`");
      assertThat(harness.record().getFirst().verdict()).isEqualTo(ConnectionVerdict.REFUSED);
      assertThat(harness.record().getFirst().rule()).isEqualTo("packages");
    }
  }

  @Test
  void registriesAreReachedWithoutARule() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness =
            new EgressHarness(
                folder,
                NetworkPolicy.defaults(),
                NetworkSettings.defaults(),
                new Registries(Set.of(new Registry("index.test", server.port(), "a test", true))),
                List.of())) {
      harness.name("index.test");
      int id = harness.guest.connect("index.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      assertThat(refused(harness, "index.test", 1).getReason()).isEqualTo(Refused.Reason.POLICY);
    }
  }

  @Test
  void aBlockOrAWildcardDoesNotOpenTheServersOwnAddresses() {
    try (EgressHarness harness =
        new EgressHarness(
            folder,
            OPEN,
            NetworkSettings.defaults(),
            Registries.none(),
            List.of(NetworkRule.parse("127.0.0.0/8"), NetworkRule.parse("*")))) {
      harness.name("own.test");
      assertThat(refused(harness, "own.test", 80).getMessage()).contains("server's own");
    }
  }

  @Test
  void privateAddressesAreRefusedHoweverTheyAreWritten() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.names.put("inside.test", List.of(Cidr.literal("10.1.2.3")));
      assertThat(refused(harness, "inside.test", 80).getMessage())
          .contains("10.1.2.3", "private", "network.reachable");
      assertThat(refused(harness, "169.254.169.254", 80).getMessage()).contains("link-local");
      assertThat(refused(harness, "0x7f000001", 80).getReason()).isEqualTo(Refused.Reason.POLICY);
    }
  }

  @Test
  void onlyTheAddressThatWasCheckedIsDialled() {
    AtomicInteger lookups = new AtomicInteger();
    List<InetAddress> dialled = new ArrayList<>();
    InetAddress open = Cidr.literal("93.184.216.34");
    InetAddress hidden = Cidr.literal("10.0.0.1");
    try (Store store = Store.open(folder.resolve("atoll.db"));
        Deadlines deadlines = new Deadlines();
        Network network =
            new Network(
                NetworkSettings.defaults(),
                new ConnectionRows(store),
                new CeilingRows(store),
                deadlines,
                new Resolver(name -> List.of(lookups.getAndIncrement() == 0 ? open : hidden)),
                (addresses, port, deadline) -> {
                  dialled.addAll(addresses);
                  throw new IOException("not in a test");
                },
                new AddressGuard(List.of(), Set::of))) {
      FakeGuestStream stream = new FakeGuestStream();
      Guest guest = new Guest(stream, loss -> {});
      guest.egress(network.open("s", "p", OPEN, RegistrySource.fixed(Registries.none())));
      guest.start("rebinding");
      Frame answer = stream.next(stream.connect("rebinding.test", 80));
      assertThat(answer.getRefused().getReason()).isEqualTo(Refused.Reason.UNREACHABLE);
      assertThat(dialled).containsExactly(open);
      assertThat(lookups).hasValue(1);
    }
  }

  @Test
  void aMixtureOfAddressesIsReducedToThoseAllowed() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.names.put("mixed.test", List.of(Cidr.literal("10.0.0.1"), EgressHarness.LOOPBACK));
      int id = harness.guest.connect("mixed.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
    }
  }

  @Test
  void aStricterPolicyClosesWhatItDoesNotAllow() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("stays.test");
      harness.name("goes.test");
      int stays = harness.guest.connect("stays.test", server.port());
      int goes = harness.guest.connect("goes.test", server.port());
      assertThat(harness.guest.next(stays).hasConnected()).isTrue();
      assertThat(harness.guest.next(goes).hasConnected()).isTrue();

      harness.egress.policy(OPEN.denying(NetworkRule.parse("goes.test")));
      assertThat(harness.guest.next(goes).hasClose()).isTrue();
      harness.guest.data(stays, "x");
      assertThat(harness.guest.next(stays).hasData()).isTrue();
      await()
          .untilAsserted(
              () ->
                  assertThat(harness.record())
                      .anyMatch(
                          c ->
                              c.name().equals("goes.test") && "policy_changed".equals(c.reason())));

      harness.network.ceiling(EgressHarness.PROJECT, NetworkPolicy.of(NetworkMode.NONE));
      assertThat(harness.guest.next(stays).hasClose()).isTrue();
      assertThat(refused(harness, "stays.test", server.port()).getMessage()).contains("ceiling");
    }
  }

  @Test
  void theCeilingOfTheSettingsHoldsForEveryProject() throws IOException {
    NetworkPolicy ceiling = OPEN.denying(NetworkRule.parse("bad.test"));
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness =
            new EgressHarness(folder, OPEN, NetworkSettings.defaults().withCeiling(ceiling))) {
      harness.name("good.test");
      harness.name("bad.test");
      assertThat(harness.egress.ceiling()).isEqualTo(ceiling);
      assertThat(refused(harness, "bad.test", server.port()).getMessage()).contains("ceiling");
      int good = harness.guest.connect("good.test", server.port());
      assertThat(harness.guest.next(good).hasConnected()).isTrue();
    }
  }

  @Test
  void aCeilingOfItsOwnStaysWithTheProjectUntilItIsTakenBack() throws IOException {
    NetworkPolicy ofServer = OPEN.denying(NetworkRule.parse("bad.test"));
    NetworkSettings settings = NetworkSettings.defaults().withCeiling(ofServer);
    NetworkPolicy own = NetworkPolicy.of(NetworkMode.ALLOWLIST, "good.test");
    try (EgressHarness harness = new EgressHarness(folder, OPEN, settings)) {
      assertThat(harness.network.project(EgressHarness.PROJECT).own()).isFalse();
      harness.network.ceiling(EgressHarness.PROJECT, own);
      assertThat(harness.network.project("another").ceiling()).isEqualTo(ofServer);
    }
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN, settings)) {
      harness.name("good.test");
      harness.name("other.test");
      assertThat(harness.network.project(EgressHarness.PROJECT).ceiling()).isEqualTo(own);
      int good = harness.guest.connect("good.test", server.port());
      assertThat(harness.guest.next(good).hasConnected()).isTrue();
      assertThat(harness.network.project(EgressHarness.PROJECT).openConnections()).isEqualTo(1);
      assertThat(refused(harness, "other.test", server.port()).getMessage()).contains("ceiling");

      harness.network.ceiling(EgressHarness.PROJECT, null);
      assertThat(harness.egress.ceiling()).isEqualTo(ofServer);
      int other = harness.guest.connect("other.test", server.port());
      assertThat(harness.guest.next(other).hasConnected()).isTrue();
    }
  }

  @Test
  void aThousandConnectionsAtOnce() throws IOException {
    int count = 1000;
    NetworkSettings settings =
        NetworkSettings.defaults()
            .withLimits(
                new TrafficLimits(count, 1L << 40, 1L << 40, 100_000, 100_000),
                TrafficLimits.ofProject());
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN, settings)) {
      harness.name("echo.test");
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ids.add(harness.guest.connect("echo.test", server.port()));
      }
      for (int id : ids) {
        assertThat(harness.guest.next(id).hasConnected()).isTrue();
      }
      assertThat(harness.egress.openConnections()).isEqualTo(count);
      assertThat(refused(harness, "echo.test", server.port()).getReason())
          .isEqualTo(Refused.Reason.LIMIT);
      for (int id : ids) {
        harness.guest.data(id, "number " + id);
        harness.guest.eof(id);
      }
      for (int id : ids) {
        assertThat(harness.guest.text(id)).isEqualTo("number " + id);
        harness.guest.closed(id);
      }
      await().untilAsserted(() -> assertThat(harness.egress.openConnections()).isZero());
    }
  }

  @Test
  void aGuestThatTakesNothingHoldsBackTheServer() throws IOException, InterruptedException {
    AtomicLong written = new AtomicLong();
    try (FakeInternet server =
            new FakeInternet(
                socket -> {
                  byte[] block = new byte[16_384];
                  while (written.get() < 64 << 20) {
                    socket.getOutputStream().write(block);
                    written.addAndGet(block.length);
                  }
                });
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("big.test");
      int id = harness.guest.connect("big.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      Thread.sleep(700);
      long held = written.get();
      // A window, and what the kernel's own buffers take.
      assertThat(held).isLessThan(32 << 20);
      for (long taken = 0; written.get() <= held; ) {
        taken += harness.guest.next(id).getSerializedSize();
        long limit = taken + FrameCodec.INITIAL_WINDOW;
        harness.guest.send(id, Frame.newBuilder().setCredit(Credit.newBuilder().setLimit(limit)));
      }
    }
  }

  @Test
  void anIdleConnectionIsClosed() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness =
            new EgressHarness(
                folder, OPEN, NetworkSettings.defaults().withIdleTimeout(Duration.ofMillis(400)))) {
      harness.name("idle.test");
      int id = harness.guest.connect("idle.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      assertThat(harness.guest.next(id).hasClose()).isTrue();
      await()
          .untilAsserted(() -> assertThat(harness.record().getFirst().reason()).isEqualTo("idle"));
    }
  }

  @Test
  void theBytesOfADayAreLimited() throws IOException {
    NetworkSettings settings =
        NetworkSettings.defaults()
            .withLimits(new TrafficLimits(10, 1000, 1 << 20, 100, 100), TrafficLimits.ofProject());
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN, settings)) {
      harness.name("echo.test");
      int id = harness.guest.connect("echo.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      harness.guest.data(id, new byte[2000]);
      Frame last = harness.guest.next(id);
      assertThat(last.hasClose()).isTrue();
      Refused refused = refused(harness, "echo.test", server.port());
      assertThat(refused.getReason()).isEqualTo(Refused.Reason.LIMIT);
      assertThat(refused.getMessage()).contains("1000 bytes");
      assertThat(harness.record()).anyMatch(c -> "limit".equals(c.rule()));
    }
  }

  @Test
  void namesAreAnsweredWithoutTheirAddresses() {
    try (EgressHarness harness =
        new EgressHarness(folder, NetworkPolicy.of(NetworkMode.ALLOWLIST, "*.test:443"))) {
      harness.name("here.test");
      assertThat(resolved(harness, "here.test")).isEqualTo(Resolved.Verdict.KNOWN);
      assertThat(resolved(harness, "gone.test")).isEqualTo(Resolved.Verdict.UNKNOWN);
      assertThat(resolved(harness, "other.example")).isEqualTo(Resolved.Verdict.REFUSED);
      harness.names.put("hidden.test", List.of(Cidr.literal("10.0.0.1")));
      assertThat(resolved(harness, "hidden.test")).isEqualTo(Resolved.Verdict.REFUSED);
      assertThat(harness.record())
          .extracting(Connection::name)
          .contains("here.test", "gone.test", "other.example", "hidden.test");
    }
  }

  @Test
  void dataInNamesIsBoundedAndVisible() {
    NetworkSettings settings =
        NetworkSettings.defaults()
            .withLimits(
                new TrafficLimits(10, 1 << 20, 1 << 20, 600, 100), TrafficLimits.ofProject());
    try (EgressHarness harness = new EgressHarness(folder, OPEN, settings)) {
      int passed = 0;
      for (int i = 0; i < 40; i++) {
        String name = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8%04d.tunnel.test".formatted(i);
        if (resolved(harness, name) == Resolved.Verdict.UNKNOWN) {
          passed++;
        }
      }
      assertThat(passed).isBetween(1, 15);
      assertThat(harness.egress.distinctNames()).isEqualTo(passed);
      assertThat(harness.record()).anyMatch(c -> String.valueOf(c.reason()).contains("new names"));
    }
  }

  static Refused refused(EgressHarness harness, String host, int port) {
    Frame answer = harness.guest.next(harness.guest.connect(host, port));
    assertThat(answer.hasRefused()).as(answer.toString()).isTrue();
    return answer.getRefused();
  }

  private static Resolved.Verdict resolved(EgressHarness harness, String name) {
    return harness.guest.next(harness.guest.resolve(name)).getResolved().getVerdict();
  }
}
