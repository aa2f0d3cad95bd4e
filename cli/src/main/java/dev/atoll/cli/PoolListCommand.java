package dev.atoll.cli;

import dev.atoll.model.PoolInfo;
import dev.atoll.model.Visible;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists the pools. */
@Command(name = "ls", description = "List the pools.")
final class PoolListCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<PoolInfo> pools = atoll().pools().list();
    if (json()) {
      stdio().json(pools);
      return ExitCode.OK;
    }
    Table table =
        new Table("ID", "NAME", "FROM", "READY", "CLAIMED", "MAX", "HITS", "MISSES", "PROBLEM");
    for (PoolInfo pool : pools) {
      table.row(
          pool.id(),
          pool.name() == null ? "-" : pool.name(),
          pool.snapshot() == null ? pool.template() : pool.snapshot(),
          pool.ready() + "/" + pool.warm(),
          Integer.toString(pool.claimed()),
          Integer.toString(pool.max()),
          Long.toString(pool.hits()),
          Long.toString(pool.misses()),
          pool.problem() == null ? "" : Visible.line(pool.problem()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }
}
