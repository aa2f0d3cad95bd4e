package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.sdk.SandboxNetwork;
import picocli.CommandLine.Command;

/** Takes rules out. */
@Command(name = "remove", description = "Take rules out, whether they allow or deny.")
final class NetworkRemoveCommand extends NetworkRuleCommand {
  @Override
  NetworkInfo change(SandboxNetwork network, String rule) {
    return network.remove(rule);
  }
}
