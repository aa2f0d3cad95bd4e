package dev.atoll.cli;

import dev.atoll.model.PoolInfo;
import dev.atoll.model.Visible;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Shows a pool. */
@Command(name = "info", description = "Show a pool and how well it serves.")
final class PoolInfoCommand extends OnePoolCommand {
  @Override
  public Integer call() {
    PoolInfo info = atoll().pools().get(pool);
    if (json()) {
      stdio().json(info);
      return ExitCode.OK;
    }
    Table table = new Table("POOL", info.id());
    table.row("name", info.name() == null ? "-" : info.name());
    table.row("from", from(info));
    table.row("ready", info.ready() + " of " + info.warm());
    table.row("claimed", info.claimed() + "; with those ready at most " + info.max());
    table.row("limits", limits(info));
    table.row("network", info.network().mode().wire());
    NetworkShowCommand.rules(table, "", info.network());
    table.row("claims", info.hits() + " served at once, " + info.misses() + " found it empty");
    table.row("oldest", age(info.oldestSeconds()));
    table.row("last refill", millis(info.refillMillis()));
    table.row("created", info.createdAt().toString());
    if (info.problem() != null) {
      table.row("problem", Visible.line(info.problem()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  private static String from(PoolInfo info) {
    return info.snapshot() == null
        ? "template " + info.template()
        : "snapshot " + info.snapshot() + " (template " + info.template() + ")";
  }

  private static String limits(PoolInfo info) {
    return info.cpus()
        + " CPUs, "
        + info.memoryMiB()
        + " MiB memory, "
        + info.diskMiB()
        + " MiB disk, "
        + info.processes()
        + " processes";
  }

  private static String age(@Nullable Double seconds) {
    return seconds == null ? "-" : Ago.brief(Duration.ofSeconds(Math.round(seconds)));
  }

  private static String millis(@Nullable Double millis) {
    return millis == null ? "-" : Math.round(millis) + " ms";
  }
}
