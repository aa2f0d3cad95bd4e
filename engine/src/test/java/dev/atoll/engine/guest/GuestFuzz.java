package dev.atoll.engine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.atoll.driver.FrameStream;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.AtollException;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Channels;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Thaw;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Whatever a guest sends, the host either understands it or gives up that guest; nothing else may
 * happen.
 */
class GuestFuzz {
  private static final Deadlines DEADLINES = new Deadlines();

  @FuzzTest(maxDuration = "20s")
  void aHostileGuestCostsOnlyItself(FuzzedDataProvider data) {
    // The guest is lost on a thread of its own.
    List<Guest.Loss> losses = new CopyOnWriteArrayList<>();
    Deque<Frame> frames = new ArrayDeque<>();
    frames.add(inventory(data));
    boolean garbage = false;
    while (data.remainingBytes() > 0 && !garbage) {
      try {
        frames.add(FrameCodec.decode(data.consumeBytes(data.consumeInt(1, 512))));
      } catch (ProtocolException e) {
        garbage = true;
      }
    }
    Guest guest = new Guest(new Script(frames), losses::add);
    Runs runs = new Runs(guest, DEADLINES, RunSettings.defaults(), "python");
    try {
      guest.recover("fuzz", Thaw.getDefaultInstance(), runs::adopt, Duration.ofSeconds(20));
      runs.adopted();
      runs.processes();
      runs.contexts();
    } catch (AtollException e) {
      // The guest was given up; that is the other allowed end.
    } finally {
      runs.close();
    }
    assertThat(losses).noneMatch(loss -> loss.reason().startsWith("internal error"));
  }

  /** Channels to aim at: without them every frame would be for nobody. */
  private static Frame inventory(FuzzedDataProvider data) {
    Channels.Builder channels = Channels.newBuilder().setLast(true);
    long execution = data.consumeLong();
    channels.addChannels(
        ChannelInfo.newBuilder()
            .setChannel(1)
            .setKind(ChannelInfo.Kind.CONTEXT)
            .setTag("a\u001fpython")
            .setSendLimit(FrameCodec.INITIAL_WINDOW)
            .setExecution(execution));
    channels.addChannels(
        ChannelInfo.newBuilder()
            .setChannel(2)
            .setKind(ChannelInfo.Kind.PROCESS)
            .setSendLimit(FrameCodec.INITIAL_WINDOW)
            .setTag(
                String.join(
                    "\u001f",
                    "run_1",
                    "b",
                    "p",
                    "1",
                    "0",
                    Long.toString(data.consumeLong()),
                    "n",
                    "c")));
    return Frame.newBuilder().setChannels(channels).build();
  }

  private record Script(Deque<Frame> frames) implements FrameStream {
    @Override
    public @Nullable Frame read() {
      return frames.poll();
    }

    @Override
    public void write(Frame frame) {}

    @Override
    public long replayed() {
      return 0;
    }
  }
}
