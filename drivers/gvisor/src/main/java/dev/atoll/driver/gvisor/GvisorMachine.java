package dev.atoll.driver.gvisor;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.FrameStream;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineExit;
import dev.atoll.driver.MachineExit.Cause;
import dev.atoll.driver.MachineStats;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.protocol.ProtocolException;
import dev.atoll.protocol.wire.Frame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sandbox of runsc, its keeper and its control group. */
final class GvisorMachine implements Machine, KeeperStream.Listener {
  private static final Logger log = LoggerFactory.getLogger(GvisorMachine.class);

  /** How far the host lets a guest go beyond its disk limit, which the agent holds more exactly. */
  private static final double DISK_FACTOR = 1.1;

  private static final long DISK_SLACK_BYTES = 1L << 30;

  private final MachineDirectory directory;
  private final MachineRecord record;
  private final GvisorConfig config;
  private final Runsc runsc;
  private final Keeper keeper;
  private final Cgroup group;
  private final Filestore filestore;
  private final Gofer gofer;
  private final KeeperStream stream;
  private final HostWatch watch;

  private final CompletableFuture<MachineExit> exit = new CompletableFuture<>();

  /** Why this driver ends the machine; empty while it does not. The first reason stays. */
  private final AtomicReference<@Nullable Cause> ending = new AtomicReference<>();

  /** Held by one command of runsc at a time. Ending the machine does not wait for it. */
  private final ReentrantLock operating = new ReentrantLock();

  /** Held while the machine's traces are removed. */
  private final ReentrantLock removing = new ReentrantLock();

  private volatile boolean detached;

  /** Of the watch alone. */
  private boolean imageForgotten;

  GvisorMachine(
      MachineDirectory directory,
      MachineRecord record,
      GvisorConfig config,
      Cgroup group,
      KeeperStream stream,
      HostWatch watch) {
    this.directory = directory;
    this.record = record;
    this.config = config;
    this.runsc = new Runsc(config, record, directory, group);
    this.keeper = new Keeper(directory);
    this.group = group;
    this.filestore =
        new Filestore(
            record.world().isPresent()
                ? World.FILESTORE_FROM_OUTSIDE
                : Set.of(directory.oldFilestore()),
            group);
    this.gofer = new Gofer(group);
    this.stream = stream;
    this.watch = watch;
  }

  /** Takes over the stream and puts the machine under watch. */
  GvisorMachine begin() {
    stream.listen(this);
    watch.add(this);
    return this;
  }

  private SandboxControl control() {
    return new SandboxControl(
        record.world().isPresent() ? directory.controlSocket() : directory.oldControlSocket(),
        record.uidBase() == null ? 0 : record.uidBase(),
        config.checkpointTimeout());
  }

  /** Gives the guest, in which nothing runs yet, the state of a checkpoint. */
  void load(Path image) throws IOException {
    if (SandboxControl.speaks(record.version())) {
      control().restore(image, this::finish);
    } else {
      ImageFiles.link(image, directory.image());
      stream.begin(runsc.restore());
    }
  }

  /** Lets the guest, in which nothing runs yet, boot. */
  void boot() throws IOException {
    stream.begin(runsc.start());
  }

  /** Waits until the agent has said Hello, and leaves that frame in the stream. */
  void awaitHello(Duration timeout) {
    Frame frame;
    try {
      frame = stream.peek(timeout);
    } catch (SocketTimeoutException e) {
      throw failed(
          ErrorCode.TIMEOUT,
          "said no Hello within " + timeout.toSeconds() + " s: " + LogTail.of(directory.log()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (frame == null) {
      throw failed(ErrorCode.SANDBOX_FAILED, "ended before its Hello: " + exit.join().message());
    }
    if (!frame.hasHello()) {
      throw failed(ErrorCode.PROTOCOL_ERROR, "began with " + frame.getBodyCase());
    }
  }

  @Override
  public String id() {
    return record.id();
  }

  @Override
  public String version() {
    return record.version();
  }

  @Override
  public FrameStream stream() {
    return stream;
  }

  /**
   * Always leaves the guest running while it writes: a checkpoint that fails, on a full disk for
   * example, then costs nothing. What other programs of the guest do between the image and the end
   * of a machine that is to stop reaches nobody, since the agent is quiesced.
   */
  @Override
  public Checkpoint checkpoint(Path target, boolean keepRunning) {
    Checkpoint checkpoint = write(target, true);
    if (!keepRunning) {
      end(Cause.CLOSED);
    }
    return checkpoint;
  }

  @Override
  public Checkpoint copy(Path target) {
    return write(target, false);
  }

  private Checkpoint write(Path target, boolean durable) {
    operating.lock();
    try (ImageFiles image = ImageFiles.beside(target)) {
      if (SandboxControl.speaks(record.version())) {
        control().checkpoint(image.aside(), durable);
      } else {
        writeByRunsc(image);
      }
      image.note(record.version());
      image.publish(durable);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while writing " + target);
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.INTERNAL,
          "cannot write the checkpoint " + target + ": " + e.getMessage(),
          "Check that the disk is not full and that the directory does not exist yet.",
          Map.of(),
          e);
    } finally {
      operating.unlock();
    }
    return new Checkpoint(target, record.rootfs());
  }

  private void writeByRunsc(ImageFiles image) throws IOException {
    if (record.world().isEmpty()) {
      runsc.checkpoint(image.aside(), config.checkpointTimeout());
      return;
    }
    String name = "image-" + UUID.randomUUID();
    try {
      runsc.checkpoint(World.OWN.resolve(name), config.checkpointTimeout());
    } finally {
      // Whatever there is: half an image must not stay with the machine.
      image.adopt(directory.own().resolve(name));
    }
    image.verify();
  }

  @Override
  public void weigh(double part) {
    try {
      group.weighCpu(part);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void pause() {
    operating.lock();
    try {
      if (SandboxControl.speaks(record.version())) {
        stopTasks();
      } else if (group.canFreeze()) {
        group.freeze();
      } else {
        runsc.pause(config.commandTimeout());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      operating.unlock();
    }
  }

  @Override
  public void resume() {
    operating.lock();
    try {
      if (SandboxControl.speaks(record.version())) {
        letTasksGoOn();
      } else if (group.canFreeze()) {
        group.thaw();
      } else {
        runsc.resume(config.commandTimeout());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      operating.unlock();
    }
  }

  /**
   * gVisor stops its tasks by itself. The host's freezer would meet programs in the middle of what
   * gVisor's kernel does for them: with the pinned release, guests that start processes died of it.
   * gVisor ends when what runs is to go on, so that a file tells whether it was stopped.
   */
  private void stopTasks() throws IOException {
    if (Files.exists(directory.paused())) {
      return;
    }
    Files.createFile(directory.paused());
    boolean done = false;
    try {
      control().pause();
      done = true;
    } finally {
      if (!done) {
        Files.deleteIfExists(directory.paused());
      }
    }
  }

  private void letTasksGoOn() throws IOException {
    if (Files.exists(directory.paused())) {
      control().resume();
      Files.delete(directory.paused());
    }
  }

  @Override
  public MachineStats stats() {
    try {
      return new MachineStats(group.memoryBytes(), filestore.allocatedBytes(), group.cpuMicros());
    } catch (IOException e) {
      // Its control group is gone, and so is the machine.
      return new MachineStats(0, 0, 0);
    }
  }

  @Override
  public CompletableFuture<MachineExit> exit() {
    return exit;
  }

  @Override
  public void close() {
    end(Cause.CLOSED);
    removing.lock();
    try {
      stream.close();
      removeTraces(directory, group);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      removing.unlock();
    }
  }

  @Override
  public void detach() {
    detached = true;
    watch.remove(this);
    try {
      stream.close();
    } catch (IOException e) {
      log.debug("while letting go of machine {}", id(), e);
    }
  }

  /** Ends and removes all that a machine has outside of its directory. */
  static void removeTraces(MachineDirectory directory, Cgroup group) throws IOException {
    group.kill();
    new Keeper(directory).end();
    group.remove();
    // No process has these ids any more.
    Optional<World> world = MachineRecord.read(directory.record()).flatMap(MachineRecord::world);
    if (world.isPresent()) {
      UserIds.ofHost().release(world.get().uidBase(), directory);
    }
    directory.clean();
  }

  /** The watch's regular look. */
  void look() {
    if (exit.isDone() || detached) {
      watch.remove(this);
      return;
    }
    forgetImage();
    Optional<WaitStatus> status = recordedStatus();
    if (status.isPresent()) {
      finish(status.get().toString());
    } else if (group.memoryKills() > 0) {
      // gVisor may hang when only one of its processes was killed.
      end(Cause.OUT_OF_MEMORY);
    } else if (filestore.allocatedBytes()
        > record.limits().diskBytes() * DISK_FACTOR + DISK_SLACK_BYTES) {
      end(Cause.OUT_OF_DISK);
    } else if (gofer.isGone()) {
      finish("its gofer, which serves its files, has ended");
    }
  }

  /** A guest that speaks has its state: the image's space is its owner's to free. */
  private void forgetImage() {
    if (imageForgotten || !stream.heard()) {
      return;
    }
    imageForgotten = true;
    try {
      ImageFiles.unlink(directory.image());
    } catch (IOException e) {
      log.warn("machine {} keeps the image that it was restored from", id(), e);
    }
  }

  @Override
  public void ended(int status) {
    finish(new WaitStatus(status).toString());
  }

  @Override
  public void lost() {
    if (detached || exit.isDone()) {
      return;
    }
    Optional<WaitStatus> status = recordedStatus();
    if (status.isPresent()) {
      finish(status.get().toString());
    } else if (keeper.find().isEmpty()) {
      finish("its keeper is gone");
    }
    // Otherwise another server has taken the machine over, and it goes on.
  }

  @Override
  public void broken(ProtocolException problem) {
    log.warn("machine {} broke the protocol: {}", id(), problem.getMessage());
    end(Cause.PROTOCOL);
  }

  private void end(Cause cause) {
    ending.compareAndSet(null, cause);
    finish("ended by the driver");
  }

  /** The end of runsc's foreground process is the machine's end, but its sandbox may live on. */
  private void finish(String how) {
    if (exit.isDone()) {
      return;
    }
    group.kill();
    watch.remove(this);
    Cause cause = ending.get();
    if (cause == null) {
      cause = group.memoryKills() > 0 ? Cause.OUT_OF_MEMORY : Cause.CRASHED;
    }
    String said = cause == Cause.CLOSED ? "" : LogTail.of(directory.log());
    exit.complete(new MachineExit(cause, said.isEmpty() ? how : how + "; " + said));
  }

  private Optional<WaitStatus> recordedStatus() {
    try {
      String text = Files.readString(directory.exitFile()).strip();
      return Optional.of(new WaitStatus(Integer.parseInt(text)));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private AtollException failed(ErrorCode code, String what) {
    return new AtollException(code, "machine " + id() + " " + what, "See " + directory.log() + ".");
  }
}
