package dev.atoll.cli;

import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.OnIdle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what is kept of a sandbox, and what is prepared. */
final class StateSettings {
  static final String DEFAULT_KEEP = "10";

  @Option(
      names = "--on-idle",
      paramLabel = "hibernate|terminate",
      converter = OnIdleConverter.class,
      description = "What happens after the idle timeout; terminate by default.")
  @Nullable OnIdle onIdle;

  @Option(
      names = "--checkpoints",
      arity = "0..1",
      fallbackValue = DEFAULT_KEEP,
      preprocessor = AttachedValue.class,
      paramLabel = "KEEP|off",
      description = "Keep its state after each run, the last " + DEFAULT_KEEP + " or so many.")
  @Nullable String checkpoints;

  @Option(
      names = "--fork-ahead",
      paramLabel = "N",
      description = "Prepare so many forks while it is idle; each costs its memory.")
  @Nullable Integer forkAhead;

  boolean absent() {
    return onIdle == null && checkpoints == null && forkAhead == null;
  }

  @Nullable CheckpointPolicy checkpoints() {
    if (checkpoints == null) {
      return null;
    }
    if (checkpoints.equals("off")) {
      return new CheckpointPolicy(false, Integer.valueOf(DEFAULT_KEEP));
    }
    if (!checkpoints.matches("[0-9]{1,6}")) {
      throw new UsageException(
          "--checkpoints is a number of states to keep, or off; not " + checkpoints);
    }
    return new CheckpointPolicy(true, Integer.valueOf(checkpoints));
  }
}
