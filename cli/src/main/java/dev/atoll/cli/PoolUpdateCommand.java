package dev.atoll.cli;

import dev.atoll.model.PoolInfo;
import dev.atoll.model.PoolUpdate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Changes a pool. */
@Command(name = "update", description = "Change a pool; what is not given stays.")
final class PoolUpdateCommand extends OnePoolCommand {
  @Option(names = "--warm", paramLabel = "N", description = "How many are kept ready.")
  @Nullable Integer warm;

  @Option(
      names = "--max",
      paramLabel = "N",
      description = "How many there may be, ready and claimed together.")
  @Nullable Integer max;

  @Override
  public Integer call() {
    if (warm == null && max == null) {
      throw new UsageException("nothing to change; see atoll pool update --help");
    }
    PoolInfo info = atoll().pools().update(pool, new PoolUpdate(warm, max));
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
