package dev.atoll.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.atoll.driver.FrameStream;
import dev.atoll.model.AtollException;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Channels;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Pong;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Stream;
import dev.atoll.protocol.wire.Thaw;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a guest says about itself is bounded and checked before anything is built on it. */
class LyingGuestTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final long WINDOW = FrameCodec.INITIAL_WINDOW;

  private final CompletableFuture<Guest.Loss> lost = new CompletableFuture<>();

  /** A guest that sends whatever the supplier has, and takes everything. */
  private record Endless(Supplier<Frame> frames) implements FrameStream {
    @Override
    public Frame read() {
      return frames.get();
    }

    @Override
    public void write(Frame frame) {}

    @Override
    public long replayed() {
      return 0;
    }
  }

  private static Frame data(int channel, int size) {
    return Frame.newBuilder()
        .setChannel(channel)
        .setData(
            Data.newBuilder()
                .setStream(Stream.STDOUT)
                .setBytes(ByteString.copyFrom(new byte[size])))
        .build();
  }

  private void recover(Supplier<Frame> frames) {
    Guest guest = new Guest(new Endless(frames), lost::complete);
    assertThatThrownBy(
            () ->
                guest.recover("liar", Thaw.getDefaultInstance(), (info, channel) -> null, DEADLINE))
        .isInstanceOf(AtollException.class);
  }

  private Guest.Loss loss() throws Exception {
    return lost.get(60, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aFloodBeforeTheListOfChannelsEndsTheGuest(int size) throws Exception {
    AtomicInteger sent = new AtomicInteger();
    recover(
        () -> {
          sent.incrementAndGet();
          return data(7, size);
        });
    assertThat(loss().protocol()).isTrue();
    assertThat(loss().reason()).contains("before the list of channels");
    assertThat((sent.get() - 1L) * size).isLessThanOrEqualTo(EarlierFrames.MOST_BYTES);
  }

  static int[] sizes() {
    return new int[] {0, 1, 1000, FrameCodec.MAX_DATA};
  }

  static List<List<ChannelInfo>> lies() {
    ChannelInfo.Builder honest =
        ChannelInfo.newBuilder().setChannel(1).setSendLimit(WINDOW).setReceiveLimit(WINDOW);
    return List.of(
        List.of(honest.build(), honest.build()),
        List.of(honest.clone().setChannel(0).build()),
        List.of(honest.clone().setTag("x".repeat(257)).build()),
        List.of(honest.clone().setSent(-1).build()),
        List.of(honest.clone().setSent(WINDOW + 1).build()),
        List.of(honest.clone().setSendLimit(WINDOW + 1).build()),
        List.of(honest.clone().setSendLimit(Long.MAX_VALUE).build()),
        List.of(honest.clone().setSent(Long.MIN_VALUE).setSendLimit(Long.MAX_VALUE).build()),
        List.of(honest.clone().setReceived(5).setReceiveLimit(0).build()),
        List.of(honest.clone().setReceiveLimit(Long.MAX_VALUE).build()));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void aListOfChannelsThatCannotBeIsNotBelieved(List<ChannelInfo> infos) throws Exception {
    recover(
        () ->
            Frame.newBuilder()
                .setChannels(Channels.newBuilder().addAllChannels(infos).setLast(true))
                .build());
    assertThat(loss().protocol()).isTrue();
  }

  @Test
  void anEndlessListOfChannelsEndsTheGuest() throws Exception {
    AtomicInteger last = new AtomicInteger();
    recover(
        () -> {
          Channels.Builder channels = Channels.newBuilder();
          for (int i = 0; i < 1000; i++) {
            channels.addChannels(ChannelInfo.newBuilder().setChannel(last.incrementAndGet()));
          }
          return Frame.newBuilder().setChannels(channels).build();
        });
    assertThat(loss().reason()).contains("channels");
    assertThat(last.get()).isLessThan(20_000);
  }

  @ParameterizedTest
  @MethodSource("credits")
  void creditBeyondAWindowEndsTheGuest(long limit) throws Exception {
    BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
    Guest guest = new Guest(new Endless(() -> take(frames)), lost::complete);
    guest.start("liar");
    GuestChannel channel =
        guest.open(Frame.newBuilder().setStart(Start.getDefaultInstance()), new Deaf());
    frames.add(
        Frame.newBuilder()
            .setChannel(channel.id())
            .setCredit(Credit.newBuilder().setLimit(limit))
            .build());
    assertThat(loss().protocol()).isTrue();
    assertThat(loss().reason()).contains("credit");
  }

  static long[] credits() {
    return new long[] {WINDOW + 1, Long.MAX_VALUE, -1};
  }

  @Test
  void guestsThatNeverStopSendingLetOthersRun() throws Exception {
    List<Guest> guests = new ArrayList<>();
    CountDownLatch stop = new CountDownLatch(1);
    Frame pong = Frame.newBuilder().setPong(Pong.getDefaultInstance()).build();
    for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
      Guest guest = new Guest(new Endless(() -> stop.getCount() == 0 ? end() : pong), loss -> {});
      guests.add(guest);
      guest.start("flood-" + i);
    }
    CountDownLatch ran = new CountDownLatch(1);
    Thread.ofVirtual().start(ran::countDown);
    boolean others = ran.await(60, TimeUnit.SECONDS);
    stop.countDown();
    assertThat(others).isTrue();
    assertThat(guests).isNotEmpty();
  }

  private static Frame end() {
    throw new dev.atoll.protocol.ProtocolException("the test is over");
  }

  private static Frame take(BlockingQueue<Frame> frames) {
    try {
      return frames.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return end();
    }
  }

  private static final class Deaf implements ChannelHandler {
    @Override
    public void frame(Frame frame) {}

    @Override
    public void lost(String reason) {}
  }
}
