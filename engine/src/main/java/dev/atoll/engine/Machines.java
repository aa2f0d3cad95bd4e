package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineSpec;
import dev.atoll.engine.files.FileLayer;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.RunFiles;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts machines from checkpoints, finds them again, and removes them with all their files. */
final class Machines implements PoolKeeper.Demand {
  static final Duration THAW_DEADLINE = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(Machines.class);
  private static final String OWNER = "owner";

  /** Restores are bound by the CPU: more at once only make each of them slower. */
  private static final int AT_ONCE = Math.max(2, Runtime.getRuntime().availableProcessors());

  private final Path folder;
  private final DiskRoom room;
  private final Blanks blanks;
  private final Deadlines deadlines;
  private final RunSettings settings;
  private final Semaphore restoring = new Semaphore(AT_ONCE, true);

  Machines(Path folder, Blanks blanks, Deadlines deadlines, RunSettings settings) {
    this.folder = folder;
    this.room = new DiskRoom(folder);
    this.blanks = blanks;
    this.deadlines = deadlines;
    this.settings = settings;
  }

  /**
   * What to start a machine from.
   *
   * @param fresh whether it is a template's, in which nothing has run yet
   * @param explain tells what is behind a failure to start it, if more can be found out
   */
  record Start(
      Driver driver,
      Checkpoint checkpoint,
      boolean fresh,
      UnaryOperator<RuntimeException> explain) {
    Start(Driver driver, Checkpoint checkpoint, boolean fresh) {
      this(driver, checkpoint, fresh, e -> e);
    }
  }

  /** The disk that machines and images are on. */
  DiskRoom room() {
    return room;
  }

  /** Starts a machine and wakes its agent; if that fails, nothing of it is left. */
  Incarnation restore(Start start, Identity identity) {
    return room.telling(() -> startFrom(start, identity));
  }

  private Incarnation startFrom(Start start, Identity identity) {
    Path rootfs = start.checkpoint().rootfs();
    acquire();
    try {
      MachineSpec ahead = blanks.take(new Blanks.Shape(start.driver(), rootfs, identity.limits()));
      if (ahead != null) {
        try {
          return restore(ahead, start, identity);
        } catch (RuntimeException e) {
          // Waiting may have done it no good; one made now either works or tells why not.
          LOG.warn("machine {} was begun ahead and cannot be used", ahead.id(), e);
        }
      }
      String id = Ids.machine();
      return restore(
          new MachineSpec(id, folder.resolve(id), rootfs, identity.limits()), start, identity);
    } catch (RuntimeException e) {
      throw start.explain().apply(e);
    } finally {
      restoring.release();
    }
  }

  private Incarnation restore(MachineSpec spec, Start start, Identity identity) {
    Machine machine = null;
    boolean done = false;
    try {
      Files.createDirectories(spec.directory());
      machine = start.driver().restore(start.checkpoint(), spec);
      Incarnation incarnation = new Incarnation(machine);
      if (start.fresh()) {
        Guest guest = new Guest(machine.stream(), incarnation::reason, incarnation::lost);
        guest.start(spec.id());
        guest.thaw(identity.restored(), THAW_DEADLINE);
        incarnation.connect(guest, runs(guest, spec.id(), identity));
      } else {
        connect(incarnation, identity, true, THAW_DEADLINE);
      }
      done = true;
      return incarnation;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!done) {
        remove(machine, spec.directory());
      }
    }
  }

  /** Starts a machine from an origin, with its files if they come apart. */
  Incarnation start(Origin origin, Identity identity) {
    Incarnation incarnation = restore(origin.start(), identity);
    Path files = origin.files();
    if (files == null) {
      return incarnation;
    }
    boolean done = false;
    try {
      FileLayer.unpack(files, Objects.requireNonNull(incarnation.guest()));
      done = true;
      return incarnation;
    } finally {
      if (!done) {
        remove(incarnation);
      }
    }
  }

  /** Speaks to the agent of a machine that has a past, and takes over what runs in it. */
  void connect(Incarnation incarnation, Identity identity, boolean restored, Duration deadline) {
    Guest guest = new Guest(incarnation.machine().stream(), incarnation::reason, incarnation::lost);
    guest.memory().belongTo(incarnation.project());
    Runs runs = runs(guest, incarnation.machine().id(), identity);
    guest.recover(
        incarnation.machine().id(),
        restored ? identity.restored() : identity.goingOn(),
        restored ? runs::adoptCopy : runs::adopt,
        deadline);
    runs.adopted();
    incarnation.connect(guest, runs);
  }

  private Runs runs(Guest guest, String machine, Identity identity) {
    RunFiles files = new RunFiles(folder.resolve(machine));
    return new Runs(guest, deadlines, settings, identity.language(), files);
  }

  private void acquire() {
    try {
      restoring.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while waiting for a place");
    }
  }

  /** Notes in a machine's folder, which the guest cannot write to, which sandbox lives in it. */
  void own(String machine, String sandbox) {
    try {
      Files.writeString(folder.resolve(machine).resolve(OWNER), sandbox);
    } catch (IOException e) {
      LOG.warn("machine {} does not say whose it is: {}", machine, e.toString());
    }
  }

  /** The sandbox that lives, or lived, in a machine; none in one that was kept ready. */
  Optional<String> owner(String machine) {
    try {
      Path file = folder.resolve(machine).resolve(OWNER);
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean isBusy() {
    return restoring.availablePermits() < AT_ONCE;
  }

  @Override
  public boolean isCrowded() {
    return restoring.availablePermits() == 0;
  }

  void remove(Incarnation incarnation) {
    incarnation.stopRuns();
    remove(incarnation.machine(), folder.resolve(incarnation.machine().id()));
  }

  private static void remove(@Nullable Machine machine, Path directory) {
    if (machine != null) {
      machine.close();
    }
    Trees.delete(directory);
  }
}
