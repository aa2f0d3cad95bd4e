package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.SandboxNetwork;
import picocli.CommandLine.Command;

/** Allows what rules name. */
@Command(name = "allow", description = "Let a sandbox reach what rules name.")
final class NetworkAllowCommand extends NetworkRuleCommand {
  @Override
  NetworkInfo change(SandboxNetwork network, String rule) {
    return network.allow(rule);
  }

  @Override
  void after(NetworkInfo info) {
    if (info.policy().mode() == NetworkMode.NONE) {
      stdio()
          .message(
              "the mode is none, in which nothing is reached; see atoll network mode "
                  + sandbox
                  + " allowlist");
    }
  }
}
