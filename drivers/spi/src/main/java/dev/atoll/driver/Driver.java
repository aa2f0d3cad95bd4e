package dev.atoll.driver;

import dev.atoll.model.AtollException;
import dev.atoll.model.DriverReport;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One isolation technology. Safe for use by many threads.
 *
 * <p>Every machine has a directory of its own that the caller chose and made; all that the driver
 * keeps on disk for a machine is in there, so that a driver in a new process can find the machine
 * again with {@link #reattach}.
 */
public interface Driver {

  /** Short stable name, such as {@code gvisor}. */
  String name();

  /** The boundary that it draws. */
  Isolation isolation();

  /**
   * Tries whether the driver really works on this host, by starting something; bounded in time. The
   * answer may be remembered for as long as it can be trusted.
   */
  DriverReport probe();

  /** Tries it again whatever is remembered, for a person who asks; changes nothing else. */
  default DriverReport probeAnew() {
    return probe();
  }

  /** Boots a machine from its root file system; returns when its agent has said Hello. */
  Machine boot(MachineSpec spec);

  /**
   * Starts a machine in the state of a checkpoint, under a new identity and with limits of its own.
   * Its agent is waiting for Thaw and has sent nothing.
   *
   * <p>The machine may go on reading the checkpoint's files after its guest has begun to run. They
   * may be deleted then, but a file must not be changed while somebody holds a shared {@code flock}
   * on it.
   */
  Machine restore(Checkpoint checkpoint, MachineSpec spec);

  /** The file of a checkpoint that names the version of the driver which has written it. */
  default String versionFile() {
    return "version";
  }

  /**
   * Fails unless a checkpoint of that version can be restored here.
   *
   * @throws AtollException {@link ErrorCode#SNAPSHOT_INCOMPATIBLE}, with what to do
   */
  default void requireReadable(String version) {
    if (!probe().version().equals(version)) {
      throw new AtollException(
          ErrorCode.SNAPSHOT_INCOMPATIBLE,
          "the state was written by %s %s and this host has %s"
              .formatted(name(), version, probe().version()),
          "make a new snapshot on this host, or use one of kind files",
          Map.of("driver", name(), "driverVersion", version),
          null);
    }
  }

  /**
   * Removes what only earlier versions of this driver use. To be called before anything else is
   * done with it, since it looks at what is on disk.
   *
   * @param root the folder that holds the machines' directories; versions of those are kept
   * @param needed other versions to keep: those of all checkpoints
   * @return what was removed, one line each
   */
  default List<String> retire(Path root, Set<String> needed) {
    return List.of();
  }

  /**
   * Begins a machine ahead, as far as it goes without a state; a restore with an equal spec goes on
   * from there and is the quicker for it. It does not outlive this process.
   *
   * @return false when this driver cannot do that and has done nothing
   */
  default boolean prepare(MachineSpec spec) {
    return false;
  }

  /** Ends and removes a machine that was begun ahead and will not be used. */
  default void discard(MachineSpec spec) {}

  /**
   * Finds a machine that an earlier process left running.
   *
   * @param directory the machine's directory
   * @return the machine with its retained frames ahead in its stream, or empty when it is no more
   */
  Optional<Machine> reattach(String id, Path directory);

  /**
   * Ends and removes everything of this driver on the host below {@code root} that belongs to none
   * of the given machines: processes, control groups, mounts, sockets.
   *
   * @param root the folder that holds the machines' directories
   * @return what was removed, one line each
   */
  List<String> sweep(Path root, Set<String> machines);
}
