package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkRule;
import dev.atoll.sdk.SandboxNetwork;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** A command that changes rules of a sandbox, one after the other. */
abstract class NetworkRuleCommand extends SandboxCommand {
  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "RULE",
      converter = NetworkRuleConverter.class,
      description = "Such as example.com, '*.example.com:443' or 10.0.0.0/8:5432.")
  List<NetworkRule> rules = new ArrayList<>();

  abstract NetworkInfo change(SandboxNetwork network, String rule);

  /** Says what the person may have missed. */
  void after(NetworkInfo info) {}

  @Override
  public final Integer call() {
    SandboxNetwork network = sandbox().network();
    NetworkInfo last = null;
    for (NetworkRule rule : rules) {
      last = change(network, rule.toString());
    }
    if (last != null) {
      after(last);
      if (json()) {
        stdio().json(last);
      }
    }
    return ExitCode.OK;
  }
}
