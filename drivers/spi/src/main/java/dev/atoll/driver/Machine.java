package dev.atoll.driver;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** A running guest. Safe for use by many threads. */
public interface Machine extends AutoCloseable {

  String id();

  /** The version of the driver that it runs with, and that its checkpoints need. */
  String version();

  /** The one stream to the agent; always the same object. */
  FrameStream stream();

  /**
   * Writes memory and files to a directory, which must not exist and appears only when it is
   * complete and on disk. The caller has quiesced the agent.
   *
   * @param keepRunning false: the machine ends with the checkpoint
   */
  Checkpoint checkpoint(Path directory, boolean keepRunning);

  /**
   * Like {@link #checkpoint} of a machine that goes on, for restores that follow at once: the
   * directory is complete when it appears, but need not outlive the host's next crash.
   */
  Checkpoint copy(Path directory);

  /** Freezes everything in the guest; it uses no CPU and answers nothing. */
  void pause();

  /** Lets a paused guest go on. */
  void resume();

  /**
   * Says how much processor time it gets where not all get what they want.
   *
   * @param part of what a machine gets that nobody has said anything about, above 0 and at most 1
   */
  void weigh(double part);

  MachineStats stats();

  /** Completes when the machine has ended, for whatever reason. */
  CompletableFuture<MachineExit> exit();

  /**
   * Ends the machine at once and removes every trace of it but its directory: processes, control
   * groups, mounts and sockets. Does nothing when it has ended already, except for the removal.
   */
  @Override
  void close();

  /** Lets go of the machine without ending it; another process may {@link Driver#reattach} it. */
  void detach();
}
