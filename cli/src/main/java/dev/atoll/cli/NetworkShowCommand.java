package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import picocli.CommandLine.Command;

/** Shows what a sandbox may reach, and what it uses. */
@Command(name = "show", description = "Show what a sandbox may reach, and what it uses.")
final class NetworkShowCommand extends SandboxCommand {
  @Override
  public Integer call() {
    NetworkInfo info = sandbox().network().info();
    if (json()) {
      stdio().json(info);
    } else {
      table(info).print(stdio());
    }
    return ExitCode.OK;
  }

  private static Table table(NetworkInfo info) {
    Table table = new Table("NETWORK", info.policy().mode().wire());
    rules(table, "", info.policy());
    NetworkPolicy ceiling = info.ceiling();
    if (ceiling != null) {
      table.row("ceiling", ceiling.mode().wire());
      rules(table, "ceiling ", ceiling);
    }
    table.row("open connections", Integer.toString(info.openConnections()));
    table.row("today", Bytes.brief(info.bytesToday()));
    return table;
  }

  static void rules(Table table, String of, NetworkPolicy policy) {
    for (NetworkRule rule : policy.allow()) {
      table.row(of + "allow", rule.toString());
    }
    for (NetworkRule rule : policy.deny()) {
      table.row(of + "deny", rule.toString());
    }
  }
}
