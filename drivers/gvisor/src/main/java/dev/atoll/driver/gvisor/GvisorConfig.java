package dev.atoll.driver.gvisor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the driver finds its programs, and what it grants them.
 *
 * @param runsc gVisor's program, version 20240729 or newer
 * @param versions the driver's own folder, in which it keeps each version of runsc that it has used
 *     for as long as a state needs it; none are kept if it is null
 * @param keeper the program that holds a machine's stream
 * @param jailer the program that starts commands in a machine's world
 * @param agent the program that is PID 1 in a guest; only the probe starts it from here
 * @param platform tried first; the probe falls back to the other one
 * @param memoryOverheadBytes what gVisor itself may use on top of the guest's memory
 * @param bootTimeout how long a guest may take to say Hello
 * @param commandTimeout how long runsc may take for something small
 * @param checkpointTimeout how long a checkpoint may take
 */
public record GvisorConfig(
    Path runsc,
    @Nullable Path versions,
    Path keeper,
    Path jailer,
    Path agent,
    Platform platform,
    long memoryOverheadBytes,
    Duration bootTimeout,
    Duration commandTimeout,
    Duration checkpointTimeout) {
  public static final long DEFAULT_MEMORY_OVERHEAD_BYTES = 512L << 20;

  public GvisorConfig {
    runsc = runsc.toAbsolutePath();
    versions = versions == null ? null : versions.toAbsolutePath();
    keeper = keeper.toAbsolutePath();
    jailer = jailer.toAbsolutePath();
    agent = agent.toAbsolutePath();
    Objects.requireNonNull(platform);
    if (memoryOverheadBytes < 0) {
      throw new IllegalArgumentException("memory overhead " + memoryOverheadBytes);
    }
    requirePositive(bootTimeout);
    requirePositive(commandTimeout);
    requirePositive(checkpointTimeout);
  }

  /** The defaults with these programs. */
  public static GvisorConfig of(Path runsc, Path keeper, Path jailer, Path agent) {
    return new GvisorConfig(
        runsc,
        null,
        keeper,
        jailer,
        agent,
        Platform.SYSTRAP,
        DEFAULT_MEMORY_OVERHEAD_BYTES,
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        Duration.ofMinutes(10));
  }

  /** The same on another platform. */
  public GvisorConfig with(Platform other) {
    return new GvisorConfig(
        runsc,
        versions,
        keeper,
        jailer,
        agent,
        other,
        memoryOverheadBytes,
        bootTimeout,
        commandTimeout,
        checkpointTimeout);
  }

  /** The same with a folder in which versions of runsc are kept. */
  public GvisorConfig keeping(Path folder) {
    return with(runsc, folder);
  }

  /** The same for a machine of that runsc. */
  GvisorConfig with(RunscProgram program) {
    return with(program.path(), versions);
  }

  private GvisorConfig with(Path program, @Nullable Path folder) {
    return new GvisorConfig(
        program,
        folder,
        keeper,
        jailer,
        agent,
        platform,
        memoryOverheadBytes,
        bootTimeout,
        commandTimeout,
        checkpointTimeout);
  }

  private static void requirePositive(Duration timeout) {
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("timeout " + timeout);
    }
  }
}
