package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineStats;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Hello;
import dev.atoll.protocol.wire.Stream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An agent and its guest in this process. All of it happens under one lock, on the thread that sent
 * a frame or on the host's timer; {@link FakeDispatch} says what each frame does.
 */
final class FakeGuest {
  private static final long OWN_MEMORY_BYTES = 8L << 20;
  private static final long SLACK_BYTES = 64L << 20;
  private static final byte[] GARBAGE = {-1, -1, -1};

  private final FakeState state;
  private final MachineLimits limits;
  private final boolean hostile;
  private final FakePipe output = new FakePipe();
  private final Queue<Frame> undelivered = new ArrayDeque<>();
  private final List<Consumer<MachineExit>> mourners = new ArrayList<>();
  private boolean paused;
  private @Nullable MachineExit death;

  FakeGuest(FakeState state, MachineLimits limits, boolean hostile) {
    this.state = state;
    this.limits = limits;
    this.hostile = hostile;
  }

  FakePipe output() {
    return output;
  }

  FakeState state() {
    return state;
  }

  synchronized void sayHello() {
    Hello.Builder hello =
        Hello.newBuilder().setGeneration(3).setVersion("fake").addFeatures("python");
    output.send(Frame.newBuilder().setHello(hello).build());
  }

  synchronized void receive(Frame frame) {
    if (hostile) {
      output.sendRaw(GARBAGE);
    } else if (paused) {
      undelivered.add(frame);
    } else if (death == null) {
      state.cpuMicros++;
      FakeDispatch.dispatch(this, frame);
    }
  }

  synchronized void pause() {
    freeze();
    paused = true;
  }

  synchronized void resume() {
    paused = false;
    thawTimers();
    notifyAll();
    for (Frame frame = undelivered.poll(); frame != null; frame = undelivered.poll()) {
      receive(frame);
    }
  }

  /** Stops everything until the host thaws the guest; nothing is sent after the given frame. */
  void quiesce(Frame last) {
    freeze();
    output.send(last);
    state.quiesced = true;
  }

  synchronized void wake() {
    state.quiesced = false;
    thawTimers();
    notifyAll();
  }

  /**
   * Does something for a channel from a thread of its own, when the guest runs and the host has
   * given credit for what was sent before; false when the channel or the guest has ended.
   */
  synchronized boolean whenAwake(FakeChannel channel, Runnable work) {
    try {
      while (death == null
          && state.channels.get(channel.id) == channel
          && (paused || state.quiesced || channel.full())) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    if (death != null || state.channels.get(channel.id) != channel) {
      return false;
    }
    work.run();
    return true;
  }

  /** Something that a thread may be waiting for has changed. */
  synchronized void stir() {
    notifyAll();
  }

  synchronized void writeTo(Path directory) {
    if (!state.quiesced) {
      throw new IllegalStateException("the agent was not quiesced before the checkpoint");
    }
    state.write(directory);
  }

  synchronized MachineStats stats() {
    return new MachineStats(OWN_MEMORY_BYTES, state.files.bytes(), state.cpuMicros);
  }

  synchronized boolean dead() {
    return death != null;
  }

  synchronized void onDeath(Consumer<MachineExit> mourner) {
    if (death != null) {
      mourner.accept(death);
    }
    mourners.add(mourner);
  }

  synchronized void die(MachineExit.Cause cause, String message) {
    if (death == null) {
      MachineExit exit = new MachineExit(cause, message);
      death = exit;
      notifyAll();
      output.end();
      mourners.forEach(mourner -> mourner.accept(exit));
    }
  }

  /** Output of a process or of the execution under way. */
  void print(FakeChannel channel, Stream stream, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Data.Builder data =
        Data.newBuilder()
            .setStream(stream)
            .setOffset(channel.offset)
            .setExecution(channel.execution)
            .setBytes(ByteString.copyFrom(bytes));
    channel.offset += bytes.length;
    channel.send(output, Frame.newBuilder().setData(data));
  }

  void exit(FakeChannel channel, Exit exit) {
    channel.exit = exit;
    channel.sleepNanos = -1;
    channel.send(output, Frame.newBuilder().setExit(exit));
  }

  void exit(FakeChannel channel, int code) {
    exit(channel, Exit.newBuilder().setCode(code).build());
  }

  /** Wakes the channel's job after that time, not counting what the guest sleeps itself. */
  void sleep(FakeChannel channel, Duration time) {
    channel.sleepNanos = time.toNanos();
    startTimer(channel);
  }

  /** Takes memory for a moment; false when it was refused and the job has ended. */
  boolean takeMemory(FakeChannel channel, long bytes) {
    if (state.guestMemoryBytes > 0 && bytes > state.guestMemoryBytes) {
      exit(channel, killed(Exit.Reason.MEMORY));
      return false;
    }
    if (bytes > limits.memoryBytes() + SLACK_BYTES) {
      die(MachineExit.Cause.OUT_OF_MEMORY, "the guest took " + bytes + " bytes");
      return false;
    }
    return true;
  }

  /** Writes a file of zeros; false when it was refused and the job has ended. */
  boolean takeDisk(FakeChannel channel, String path, long bytes) {
    long total = state.files.bytes() + bytes;
    if (state.guestDiskBytes > 0 && total > state.guestDiskBytes) {
      exit(channel, killed(Exit.Reason.DISK));
      return false;
    }
    if (total > limits.diskBytes() + SLACK_BYTES) {
      die(MachineExit.Cause.OUT_OF_DISK, "the guest wrote " + total + " bytes");
      return false;
    }
    state.files.writeZeros(path, bytes);
    return true;
  }

  /** How many more processes may be started. */
  int processesLeft() {
    long running = state.channels.values().stream().filter(FakeChannel::running).count();
    return state.guestProcesses == 0
        ? limits.processes() - (int) running
        : state.guestProcesses - (int) running;
  }

  private static Exit killed(Exit.Reason reason) {
    return Exit.newBuilder().setCode(-1).setSignal(9).setReason(reason).build();
  }

  /** Notes how long each job has still to sleep. */
  private void freeze() {
    if (paused || state.quiesced) {
      return;
    }
    long now = System.nanoTime();
    for (FakeChannel channel : state.channels.values()) {
      if (channel.sleepNanos >= 0) {
        channel.sleepNanos = Math.max(0, channel.sleepUntil - now);
        channel.sleepUntil = 0;
      }
    }
  }

  private void thawTimers() {
    if (!paused && !state.quiesced) {
      state.channels.values().stream().filter(c -> c.sleepNanos >= 0).forEach(this::startTimer);
    }
  }

  private void startTimer(FakeChannel channel) {
    long until = System.nanoTime() + channel.sleepNanos;
    channel.sleepUntil = until;
    FakeHost.after(Duration.ofNanos(channel.sleepNanos), () -> awake(channel, until));
  }

  /** A timer that was overtaken by a pause, an interrupt or another sleep no longer counts. */
  private synchronized void awake(FakeChannel channel, long until) {
    if (death == null && channel.sleepNanos >= 0 && channel.sleepUntil == until) {
      channel.sleepNanos = -1;
      state.cpuMicros++;
      channel.job.awake(this, channel);
    }
  }
}
