package dev.atoll.driver.testkit;

import dev.atoll.protocol.FrameCodec;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A channel of a fake guest, with the credit that the host has given for its output. */
final class FakeChannel implements Serializable {
  final int id;
  final ChannelInfo.Kind kind;
  final String tag;
  final int pid;
  final FakeJob job;
  long received;
  long offset;
  long execution;
  @Nullable Exit exit;

  /** Set while a job waits for time to pass; counted down only while the guest runs. */
  long sleepNanos = -1;

  transient long sleepUntil;

  private long sent;
  private long limit = FrameCodec.INITIAL_WINDOW;
  private final Deque<Frame> held = new ArrayDeque<>();

  FakeChannel(int id, ChannelInfo.Kind kind, String tag, int pid, FakeJob job) {
    this.id = id;
    this.kind = kind;
    this.tag = tag;
    this.pid = pid;
    this.job = job;
  }

  /** Whether it is a kernel that can ask questions. */
  boolean asks() {
    return job instanceof FakeContext context && context.asks();
  }

  boolean running() {
    return kind != ChannelInfo.Kind.OTHER && exit == null;
  }

  /** Whether output is waiting for credit. */
  boolean full() {
    return !held.isEmpty();
  }

  /** Sends a frame, after those that wait for credit. */
  void send(FakePipe pipe, Frame.Builder builder) {
    held.add(builder.setChannel(id).build());
    flush(pipe);
  }

  void credit(FakePipe pipe, long newLimit) {
    limit = Math.max(limit, newLimit);
    flush(pipe);
  }

  private void flush(FakePipe pipe) {
    for (Frame frame = held.peek(); frame != null; frame = held.peek()) {
      int cost = metered(frame) ? frame.getSerializedSize() : 0;
      if (sent + cost > limit) {
        return;
      }
      sent += cost;
      pipe.send(frame);
      held.remove();
    }
  }

  static boolean metered(Frame frame) {
    return frame.hasData()
        || frame.hasEntries()
        || frame.hasEvent()
        || frame.hasResult()
        || frame.hasExecute()
        || frame.hasAnswer();
  }

  ChannelInfo info() {
    ChannelInfo.Builder info =
        ChannelInfo.newBuilder()
            .setChannel(id)
            .setKind(kind)
            .setTag(tag)
            .setPid(pid)
            .setSent(sent)
            .setReceived(received)
            .setSendLimit(limit)
            .setReceiveLimit(received + FrameCodec.INITIAL_WINDOW)
            .setOffset(offset)
            .setExecution(execution)
            .setAsks(asks());
    if (exit != null) {
      info.setExit(exit);
    }
    return info.build();
  }
}
