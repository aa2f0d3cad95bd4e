package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.sdk.SandboxNetwork;
import picocli.CommandLine.Command;

/** Denies what rules name. */
@Command(name = "deny", description = "Keep a sandbox from what rules name, whatever allows it.")
final class NetworkDenyCommand extends NetworkRuleCommand {
  @Override
  NetworkInfo change(SandboxNetwork network, String rule) {
    return network.deny(rule);
  }
}
