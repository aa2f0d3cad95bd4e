package dev.atoll.engine.run;

import dev.atoll.engine.guest.ChannelHandler;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.guest.GuestChannel;
import dev.atoll.engine.packages.InstallOutput;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.TerminalSize;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.ChannelInfo;
import dev.atoll.protocol.wire.Data;
import dev.atoll.protocol.wire.Exit;
import dev.atoll.protocol.wire.Frame;
import dev.atoll.protocol.wire.Resize;
import dev.atoll.protocol.wire.Signal;
import dev.atoll.protocol.wire.Start;
import dev.atoll.protocol.wire.Stream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A program running in a guest. */
final class ProcessRun extends RunRecord implements ChannelHandler {
  private static final Duration START_DEADLINE = Duration.ofSeconds(30);
  private static final Duration INPUT_PATIENCE = Duration.ofSeconds(30);

  private final ProcessTag tag;
  private final Guest guest;
  private final @Nullable InstallOutput installing;
  private final CompletableFuture<Integer> pid = new CompletableFuture<>();
  private volatile @Nullable GuestChannel channel;

  private ProcessRun(ProcessTag tag, Guest guest) {
    super(tag.runId(), tag.startedAt(), tag.maxOutput(), guest.memory(), tag.reconnect());
    this.tag = tag;
    this.guest = guest;
    this.installing = tag.installer() == null ? null : new InstallOutput(tag.installer());
  }

  /** Starts a program and returns when it runs. */
  static ProcessRun start(Guest guest, ProcessTag tag, Start.Builder start) {
    ProcessRun run = new ProcessRun(tag, guest);
    guest.awaitEndings(CodeContext.ENDING_PATIENCE);
    run.channel = guest.open(Frame.newBuilder().setStart(start.setTag(tag.encode())), run);
    try {
      run.pid.get(START_DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      return run;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AtollException known) {
        throw known;
      }
      throw new AtollException(ErrorCode.SANDBOX_FAILED, "the program could not be started");
    } catch (TimeoutException e) {
      run.close();
      throw new AtollException(ErrorCode.TIMEOUT, "the sandbox did not start the program in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      run.close();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while starting a program");
    }
  }

  /** Takes over a program that an earlier server started. */
  static ProcessRun adopt(Guest guest, ProcessTag tag, ChannelInfo info, GuestChannel channel) {
    ProcessRun run = new ProcessRun(tag, guest);
    run.channel = channel;
    run.begin(info.getPid());
    if (info.hasExit()) {
      run.pendingExit = info.getExit();
    }
    return run;
  }

  private @Nullable Exit pendingExit;

  /** After the retained frames were given: an exit that is no longer among them. */
  void settle() {
    Exit exit = pendingExit;
    if (exit != null && !isEnded()) {
      exited(exit);
    }
  }

  boolean isBackground() {
    return tag.background();
  }

  long deadlineMillis() {
    return tag.deadlineMillis();
  }

  private void begin(int number) {
    if (pid.complete(number)) {
      log().event(new RunEvent.Started(id(), number));
    }
  }

  @Override
  public void frame(Frame frame) {
    switch (frame.getBodyCase()) {
      case STARTED -> begin(frame.getStarted().getPid());
      case FAILED -> {
        if (pid.isDone()) {
          throw new ProtocolException("a program that has started cannot fail to");
        }
        pid.completeExceptionally(
            GuestFailure.ofProgram(
                frame.getFailed(), tag.command().isEmpty() ? "?" : tag.command().getFirst()));
        GuestChannel open = channel;
        if (open != null) {
          guest.forget(open);
        }
      }
      case DATA -> {
        requireBegun(frame);
        output(frame.getData());
      }
      case EXIT -> {
        requireBegun(frame);
        exited(frame.getExit());
      }
      default -> {}
    }
  }

  /** Clients learn the run's id from its beginning, and cannot do with anything before it. */
  private void requireBegun(Frame frame) {
    if (!pid.isDone()) {
      throw new ProtocolException(frame.getBodyCase() + " of a program that has not started");
    }
  }

  private void output(Data data) {
    boolean stderr = data.getStream() == Stream.STDERR;
    byte[] bytes = data.getBytes().toByteArray();
    if (installing != null) {
      installing.add(stderr, bytes);
    }
    if (log().output(stderr, data.getOffset(), bytes)) {
      room();
    }
  }

  private void exited(Exit exit) {
    ProcessEnd end = ProcessEnd.of(exit, stopping());
    if (installing != null) {
      RunEvent.Packages installed = installing.end(end.status(), guest.troubleSince(startedAt()));
      RunEvent nothing = new RunEvent.Packages(installed.manager(), List.of(), installed.failure());
      log().result(installed, nothing, InstallOutput.size(installed));
    }
    long cpuMillis = Math.max(0, exit.getCpuMicros() / 1000);
    long maxRss = Math.max(0, exit.getMaxRssBytes());
    if (exit.getWallMicros() <= 0) {
      finish(end.status(), end.exitCode(), end.signal(), cpuMillis, maxRss, end.message());
    } else {
      // Measured beside the program, without the way to it and back.
      long millis = exit.getWallMicros() / 1000;
      finish(end.status(), end.exitCode(), end.signal(), millis, cpuMillis, maxRss, end.message());
    }
    GuestChannel open = channel;
    if (!tag.background() && open != null) {
      // Only forgets it: what it left running in the background, such as a server, goes on.
      open.close();
    }
  }

  @Override
  public void lost(String reason) {
    pid.completeExceptionally(
        new AtollException(ErrorCode.SANDBOX_FAILED, "the sandbox has ended: " + reason));
    finish(RunStatus.SANDBOX_DIED, 125, null, null, null, "the sandbox has ended: " + reason);
  }

  @Override
  void room() {
    GuestChannel open = channel;
    if (open != null) {
      open.grant();
    }
  }

  private GuestChannel openChannel() {
    GuestChannel open = channel;
    if (open == null || isEnded()) {
      throw new AtollException(ErrorCode.CONFLICT, "process " + id() + " has ended");
    }
    return open;
  }

  // NullAway does not see the annotation of a nested record in a compiled class.
  @SuppressWarnings("NullAway")
  @Override
  public ProcessInfo info() {
    RunEvent.End end = log().ending();
    return new ProcessInfo(
        id(),
        pid.getNow(0),
        tag.name(),
        tag.command(),
        tag.pty(),
        end == null,
        startedAt(),
        log().outputBytes(),
        end);
  }

  @Override
  public void writeStdin(byte[] bytes, int offset, int length) {
    openChannel()
        .sendData(tag.pty() ? Stream.BYTES : Stream.STDIN, bytes, offset, length, INPUT_PATIENCE);
  }

  @Override
  public void closeStdin() {
    openChannel().sendEof(Stream.STDIN);
  }

  @Override
  public void signal(int number, boolean tree) {
    openChannel()
        .send(Frame.newBuilder().setSignal(Signal.newBuilder().setNumber(number).setTree(tree)));
  }

  @Override
  public void resize(TerminalSize size) {
    if (!tag.pty()) {
      throw new AtollException(ErrorCode.CONFLICT, "process " + id() + " has no terminal");
    }
    openChannel()
        .send(
            Frame.newBuilder()
                .setResize(Resize.newBuilder().setRows(size.rows()).setColumns(size.columns())));
  }

  @Override
  public void cancel() {
    stop(RunStatus.INTERRUPTED);
  }

  void timeOut() {
    stop(RunStatus.TIMEOUT);
  }

  private void stop(RunStatus reason) {
    if (stopping(reason)) {
      signal(Signals.KILL, true);
    }
  }

  /** Ends its whole tree and has the guest forget it. */
  void close() {
    GuestChannel open = channel;
    if (open != null) {
      open.close();
    }
    finish(RunStatus.KILLED, 128 + Signals.KILL, "SIGKILL", null, null, null);
  }
}
