package dev.atoll.driver;

/**
 * How a machine ended.
 *
 * @param message for a person: exit status and the end of the log, if there is one
 */
public record MachineExit(Cause cause, String message) {
  /** Why a machine ended. */
  public enum Cause {
    /** It was closed, or stopped with a checkpoint. */
    CLOSED,
    /** The host's memory limit killed it. */
    OUT_OF_MEMORY,
    /** It wrote more than its disk limit allows. */
    OUT_OF_DISK,
    /** Its agent sent something that the protocol does not allow. */
    PROTOCOL,
    /** It ended by itself. */
    CRASHED
  }
}
