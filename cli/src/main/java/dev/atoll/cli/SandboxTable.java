package dev.atoll.cli;

import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxInfo;
import org.jspecify.annotations.Nullable;

/** A sandbox as rows for people. */
final class SandboxTable {
  private SandboxTable() {}

  static Table of(SandboxInfo info) {
    Table table = new Table("SANDBOX", info.id());
    table.row("name", info.name() == null ? "-" : info.name());
    table.row("state", info.state().wire() + (info.reason() == null ? "" : ": " + info.reason()));
    table.row("template", info.template());
    table.row("isolation", info.isolation().wire() + " (" + info.driver() + ")");
    table.row("limits", limits(info.cpus(), info.memoryMiB(), info.diskMiB(), info.processes()));
    table.row("network", network(info.network()));
    table.row("persistent", info.persistent() ? "yes" : "no");
    table.row("on idle", idle(info));
    table.row("created", info.createdAt().toString());
    table.row("expires", info.expiresAt() == null ? "-" : info.expiresAt().toString());
    optional(table, "checkpoints", checkpoints(info.checkpoints()));
    optional(table, "fork ahead", info.forkAhead() == 0 ? null : info.forkAhead() + "");
    optional(table, "parent", info.parent());
    optional(table, "snapshot", info.snapshot());
    optional(table, "pool", info.pool());
    info.metadata().forEach((key, value) -> table.row("metadata " + key, value));
    return table;
  }

  private static void optional(Table table, String title, @Nullable String value) {
    if (value != null) {
      table.row(title, value);
    }
  }

  private static String idle(SandboxInfo info) {
    Double seconds = info.idleTimeoutSeconds();
    boolean staysUp = info.persistent() && info.onIdle() == OnIdle.TERMINATE;
    return seconds == null || staysUp
        ? "stays"
        : info.onIdle().wire() + " after " + Math.round(seconds) + " s";
  }

  private static @Nullable String checkpoints(@Nullable CheckpointPolicy policy) {
    return policy == null || !policy.everyRun() ? null : "every run, the last " + policy.keep();
  }

  private static String network(NetworkPolicy policy) {
    int rules = policy.allow().size() + policy.deny().size();
    return policy.mode().wire()
        + (rules == 0 ? "" : ", " + rules + (rules == 1 ? " rule" : " rules"));
  }

  static String limits(double cpus, int memoryMiB, int diskMiB, int processes) {
    return cpus
        + " CPUs, "
        + memoryMiB
        + " MiB memory, "
        + diskMiB
        + " MiB disk, "
        + processes
        + " processes";
  }
}
