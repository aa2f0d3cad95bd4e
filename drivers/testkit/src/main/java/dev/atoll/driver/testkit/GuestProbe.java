package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.driver.FrameStream;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Credit;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Eof;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Hello;
import dev.atoll.protocol.wire.Limits;
import dev.atoll.protocol.wire.Quiesce;
import dev.atoll.protocol.wire.ReadFile;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Stream;
import dev.atoll.protocol.wire.Thaw;
import dev.atoll.protocol.wire.WriteFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A small host side of the agent protocol, for tests: reads a machine's stream on a thread of its
 * own and sorts the frames by channel. It never writes so much that it would need credit. Every
 * wait ends after {@link #PATIENCE} with an error.
 */
public final class GuestProbe {
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Shared by all probes, since a restored guest remembers the numbers of its origin. */
  private static final AtomicInteger CHANNELS = new AtomicInteger();

  /** In an inbox: no more will come. A frame from a guest always has a body. */
  private static final Frame END = Frame.getDefaultInstance();

  private final FrameStream stream;
  private final Map<Integer, BlockingQueue<Frame>> inboxes = new ConcurrentHashMap<>();
  private final Map<Integer, Long> received = new ConcurrentHashMap<>();
  private volatile boolean ended;

  public GuestProbe(Machine machine) {
    stream = machine.stream();
    Thread.ofVirtual().name("probe-" + machine.id()).start(this::readAll);
  }

  /** The agent's first frame. */
  public Hello hello() {
    return await(0, Frame.BodyCase.HELLO).getHello();
  }

  /** Wakes a restored guest with these limits; the host name is the guest's only name here. */
  public GuestProbe thaw(MachineLimits limits) {
    Instant now = Instant.now();
    Thaw.Builder thaw =
        Thaw.newBuilder()
            .setRestored(true)
            .setWallClockNanos(now.getEpochSecond() * 1_000_000_000L + now.getNano())
            .setSeed(ByteString.copyFrom(SecureRandom.getSeed(32)))
            .setHostname("restored")
            .setLimits(
                Limits.newBuilder()
                    .setMemoryBytes(limits.memoryBytes())
                    .setDiskBytes(limits.diskBytes())
                    .setProcesses(limits.processes()));
    send(Frame.newBuilder().setThaw(thaw));
    await(0, Frame.BodyCase.THAWED);
    return this;
  }

  /** Lets a guest go on that was quiesced for a checkpoint. */
  public void thaw() {
    send(Frame.newBuilder().setThaw(Thaw.getDefaultInstance()));
    await(0, Frame.BodyCase.THAWED);
  }

  public void quiesce() {
    send(Frame.newBuilder().setQuiesce(Quiesce.getDefaultInstance()));
    await(0, Frame.BodyCase.QUIESCED);
  }

  /** Starts a program that reads from us. */
  public GuestProgram start(String... argv) {
    int channel = CHANNELS.incrementAndGet();
    send(
        Frame.newBuilder()
            .setChannel(channel)
            .setStart(Start.newBuilder().addAllArgv(List.of(argv)).setStdin(true)));
    Frame answer = next(channel);
    if (answer.hasFailed()) {
      throw new AssertionError("cannot start " + List.of(argv) + ": " + answer.getFailed());
    }
    return new GuestProgram(this, channel);
  }

  /** Runs a program to its end. */
  public GuestProgram.Output run(String... argv) {
    GuestProgram program = start(argv);
    program.closeInput();
    return program.awaitExit();
  }

  /** The program behind a channel that was opened before a restore or a reattach. */
  public GuestProgram adopt(GuestProgram program) {
    return new GuestProgram(this, program.channel());
  }

  public void writeFile(String path, String content) {
    int channel = CHANNELS.incrementAndGet();
    send(
        Frame.newBuilder()
            .setChannel(channel)
            .setWriteFile(WriteFile.newBuilder().setPath(path).setParents(true)));
    send(data(channel, Stream.BYTES, content));
    send(eof(channel, Stream.BYTES));
    await(channel, Frame.BodyCase.WRITTEN);
  }

  public String readFile(String path) {
    int channel = CHANNELS.incrementAndGet();
    send(Frame.newBuilder().setChannel(channel).setReadFile(ReadFile.newBuilder().setPath(path)));
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (Frame frame = next(channel); !frame.hasEof(); frame = next(channel)) {
      if (frame.hasFailed()) {
        throw new AssertionError("cannot read " + path + ": " + frame.getFailed());
      }
      content.writeBytes(frame.getData().getBytes().toByteArray());
    }
    return content.toString(StandardCharsets.UTF_8);
  }

  /** Sends a frame as it is. */
  public void send(Frame.Builder frame) {
    try {
      stream.write(frame.build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the stream has come to its end; waits for it. */
  public boolean awaitEnd() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!ended && System.nanoTime() < deadline) {
      sleep(Duration.ofMillis(10));
    }
    return ended;
  }

  /** The next frame of that kind on the channel; others before it are an error. */
  public Frame await(int channel, Frame.BodyCase kind) {
    Frame frame = next(channel);
    if (frame.getBodyCase() != kind) {
      throw new AssertionError("expected " + kind + " but the guest sent " + frame);
    }
    return frame;
  }

  /** The next frame on the channel. */
  public Frame next(int channel) {
    Frame frame = poll(channel, PATIENCE);
    if (frame == null) {
      throw new AssertionError("nothing on channel " + channel + " within " + PATIENCE);
    }
    return frame;
  }

  /** The next frame on the channel, or null when none comes in time. */
  public @Nullable Frame poll(int channel, Duration patience) {
    try {
      Frame frame = inbox(channel).poll(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (frame != null && frame.getBodyCase() == Frame.BodyCase.BODY_NOT_SET) {
        throw new AssertionError("the stream ended while waiting on channel " + channel);
      }
      return frame;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static Frame.Builder data(int channel, Stream stream, String text) {
    Data.Builder data = Data.newBuilder().setStream(stream).setBytes(ByteString.copyFromUtf8(text));
    return Frame.newBuilder().setChannel(channel).setData(data);
  }

  static Frame.Builder eof(int channel, Stream stream) {
    return Frame.newBuilder().setChannel(channel).setEof(Eof.newBuilder().setStream(stream));
  }

  static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void readAll() {
    try {
      for (Frame frame = stream.read(); frame != null; frame = stream.read()) {
        grantMore(frame);
        if (!frame.hasCredit()) {
          inbox(frame.getChannel()).add(frame);
        }
      }
    } catch (IOException | ProtocolException e) {
      // Told by the machine's exit; here the stream has just ended.
    } finally {
      ended = true;
      inboxes.values().forEach(inbox -> inbox.add(END));
    }
  }

  /** Only when half the window is used up: a quiesced agent must not be sent anything. */
  private void grantMore(Frame frame) throws IOException {
    if (frame.getChannel() == 0 || !frame.hasData()) {
      return;
    }
    long before = received.getOrDefault(frame.getChannel(), 0L);
    long total = before + frame.getSerializedSize();
    received.put(frame.getChannel(), total);
    long step = FrameCodec.INITIAL_WINDOW / 2;
    if (total / step > before / step) {
      Credit.Builder credit = Credit.newBuilder().setLimit(total + FrameCodec.INITIAL_WINDOW);
      stream.write(Frame.newBuilder().setChannel(frame.getChannel()).setCredit(credit).build());
    }
  }

  private BlockingQueue<Frame> inbox(int channel) {
    return inboxes.computeIfAbsent(
        channel,
        _ -> {
          BlockingQueue<Frame> inbox = new LinkedBlockingQueue<>();
          if (ended) {
            inbox.add(END);
          }
          return inbox;
        });
  }
}
