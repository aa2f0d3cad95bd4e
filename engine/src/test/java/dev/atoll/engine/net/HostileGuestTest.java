package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Channels;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Refused;
import dev.atoll.protocol.wire.Stat;
import dev.atoll.protocol.wire.Stream;
import dev.atoll.protocol.wire.Thaw;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that does what the protocol forbids is lost, and nothing else is. */
final class HostileGuestTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final NetworkPolicy OPEN = NetworkPolicy.of(NetworkMode.OPEN);
  private static final Frame.Builder CONNECT =
      Frame.newBuilder().setConnect(Connect.newBuilder().setHost("a.test").setPort(80));

  @TempDir Path folder;

  @Test
  void idsThatAreNotTheGuestsAreRefused() {
    breaks(7);
  }

  @Test
  void idsGrow() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.guest.send(FakeGuestStream.FIRST + 5, CONNECT.clone());
      harness.guest.send(FakeGuestStream.FIRST + 4, CONNECT.clone());
      awaitLoss(harness, "opened again");
    }
  }

  @Test
  void aChannelThatWasNeverOpenedTakesNothing() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.guest.data(FakeGuestStream.FIRST + 9, "x");
      awaitLoss(harness, "never opened");
    }
  }

  @Test
  void moreThanTheCreditIsAnError() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      // No connection ever stands, so none of it is taken.
      harness.unanswered("slow.test");
      int id = harness.guest.connect("slow.test", 80);
      for (int i = 0; i < 10; i++) {
        harness.guest.data(id, new byte[FrameCodec.MAX_DATA]);
      }
      awaitLoss(harness, "at most");
    }
  }

  @Test
  void otherStreamsAreAnError() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("a.test");
      int id = harness.guest.connect("a.test", server.port());
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      harness.guest.send(
          id,
          Frame.newBuilder()
              .setData(
                  Data.newBuilder()
                      .setStream(Stream.STDOUT)
                      .setBytes(ByteString.copyFromUtf8("x"))));
      awaitLoss(harness, "one stream");
    }
  }

  @Test
  void dataBeforeConnectedWaitsAndIsCarried() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.name("echo.test");
      int id = harness.guest.connect("echo.test", server.port());
      harness.guest.data(id, "early");
      harness.guest.eof(id);
      assertThat(harness.guest.next(id).hasConnected()).isTrue();
      assertThat(harness.guest.text(id)).isEqualTo("early");
      assertThat(harness.losses).isEmpty();
    }
  }

  @Test
  void garbageForNamesAndPortsIsRefusedAndRecorded() {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      for (String host :
          List.of("", "a b", "\u0000", "a\nb", "x".repeat(5000), "..", "-", "ünicode")) {
        assertThat(EgressTest.refused(harness, host, 80).getReason())
            .isEqualTo(Refused.Reason.POLICY);
      }
      assertThat(EgressTest.refused(harness, "a.test", 0).getMessage()).contains("port");
      assertThat(EgressTest.refused(harness, "a.test", -1).getMessage()).contains("port");
      assertThat(EgressTest.refused(harness, "a.test", 65_536).getMessage()).contains("port");
      assertThat(harness.record()).hasSize(11);
      assertThat(harness.record()).allMatch(c -> c.name().length() < 300);
      assertThat(harness.losses).isEmpty();
    }
  }

  @Test
  void withoutAListenerAllIsRefused() {
    FakeGuestStream stream = new FakeGuestStream();
    new Guest(stream, loss -> {}).start("deaf");
    assertThat(stream.next(stream.connect("a.test", 80)).getRefused().getReason())
        .isEqualTo(Refused.Reason.POLICY);
  }

  @Test
  void recoveryClosesTheGuestsChannelsAndKeepsItsIdsApart() {
    FakeGuestStream stream = new FakeGuestStream();
    List<Guest.Loss> losses = new CopyOnWriteArrayList<>();
    Guest guest = new Guest(stream, losses::add);
    int old = FakeGuestStream.FIRST + 77;
    stream.send(
        0,
        Frame.newBuilder()
            .setChannels(
                Channels.newBuilder()
                    .setLast(true)
                    .addChannels(ChannelInfo.newBuilder().setChannel(old))
                    .addChannels(ChannelInfo.newBuilder().setChannel(5))));
    guest.recover("test", Thaw.getDefaultInstance(), (info, channel) -> null, PATIENCE);
    assertThat(stream.next(old).hasClose()).isTrue();
    int opened =
        guest.open(Frame.newBuilder().setStat(Stat.getDefaultInstance()), new DeafHandler()).id();
    assertThat(opened).isEqualTo(6);
    stream.send(old, CONNECT.clone());
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(losses).hasSize(1));
  }

  private void breaks(int id) {
    try (EgressHarness harness = new EgressHarness(folder, OPEN)) {
      harness.guest.send(id, CONNECT.clone());
      awaitLoss(harness, "not the guest's");
    }
  }

  private static void awaitLoss(EgressHarness harness, String reason) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(harness.losses).hasSize(1));
    assertThat(harness.losses.getFirst().protocol()).isTrue();
    assertThat(harness.losses.getFirst().reason()).contains(reason);
  }

  /** Takes nothing. */
  private static final class DeafHandler implements dev.atoll.engine.guest.ChannelHandler {
    @Override
    public void frame(Frame frame) {}

    @Override
    public void lost(String reason) {}
  }
}
