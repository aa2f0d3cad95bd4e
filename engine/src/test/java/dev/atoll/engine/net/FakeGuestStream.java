package dev.atoll.engine.net;

import com.google.protobuf.ByteString;
import dev.atoll.driver.FrameStream;
import dev.atoll.protocol.wire.Closed;
import dev.atoll.protocol.wire.Connect;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Resolve;
import dev.atoll.protocol.wire.Stream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A guest that does on the stream whatever a test wants. */
final class FakeGuestStream implements FrameStream {
  static final int FIRST = 1 << 30;

  private final BlockingQueue<Frame> toHost = new LinkedBlockingQueue<>();
  private final Map<Integer, BlockingQueue<Frame>> fromHost = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger(FIRST);

  @Override
  public @Nullable Frame read() {
    try {
      return toHost.take();
    } catch (InterruptedException e) {
      return null;
    }
  }

  @Override
  public void write(Frame frame) {
    queue(frame.getChannel()).add(frame);
  }

  @Override
  public long replayed() {
    return 0;
  }

  private BlockingQueue<Frame> queue(int channel) {
    return fromHost.computeIfAbsent(channel, c -> new LinkedBlockingQueue<>());
  }

  void send(int channel, Frame.Builder frame) {
    toHost.add(frame.setChannel(channel).build());
  }

  int connect(String host, int port) {
    return connect(host, port, Connect.Way.SOCKS);
  }

  int connect(String host, int port, Connect.Way way) {
    int id = next.getAndIncrement();
    send(
        id,
        Frame.newBuilder()
            .setConnect(Connect.newBuilder().setHost(host).setPort(port).setWay(way)));
    return id;
  }

  int resolve(String name) {
    int id = next.getAndIncrement();
    send(id, Frame.newBuilder().setResolve(Resolve.newBuilder().setName(name)));
    return id;
  }

  void data(int channel, byte[] bytes) {
    send(
        channel,
        Frame.newBuilder()
            .setData(
                Data.newBuilder().setStream(Stream.BYTES).setBytes(ByteString.copyFrom(bytes))));
  }

  void data(int channel, String text) {
    data(channel, text.getBytes(StandardCharsets.UTF_8));
  }

  void eof(int channel) {
    send(channel, Frame.newBuilder().setEof(Eof.newBuilder().setStream(Stream.BYTES)));
  }

  void closed(int channel) {
    send(channel, Frame.newBuilder().setClosed(Closed.getDefaultInstance()));
  }

  /** The next frame for a channel apart from credit. */
  Frame next(int channel) {
    try {
      for (int i = 0; i < 1000; i++) {
        Frame frame = queue(channel).poll(20, TimeUnit.SECONDS);
        if (frame == null) {
          throw new AssertionError("nothing came on channel " + channel);
        }
        if (!frame.hasCredit()) {
          return frame;
        }
      }
      throw new AssertionError("only credit came on channel " + channel);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean isQuiet(int channel) {
    return queue(channel).stream().allMatch(Frame::hasCredit);
  }

  /** All bytes up to the end of the stream. */
  String text(int channel) {
    StringBuilder text = new StringBuilder();
    for (Frame frame = next(channel); !frame.hasEof(); frame = next(channel)) {
      if (!frame.hasData()) {
        throw new AssertionError("unexpected " + frame);
      }
      text.append(frame.getData().getBytes().toStringUtf8());
    }
    return text.toString();
  }
}
