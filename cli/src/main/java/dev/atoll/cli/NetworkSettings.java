package dev.atoll.cli;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what a sandbox may reach. */
final class NetworkSettings {
  @Option(
      names = "--network",
      paramLabel = "none|packages|allowlist|open",
      converter = NetworkModeConverter.class,
      description = "What it may reach; the package registries by default.")
  @Nullable NetworkMode mode;

  @Option(
      names = "--allow",
      paramLabel = "RULE",
      converter = NetworkRuleConverter.class,
      description = "May be reached too, such as example.com:443; can be given again.")
  List<NetworkRule> allow = new ArrayList<>();

  @Option(
      names = "--deny",
      paramLabel = "RULE",
      converter = NetworkRuleConverter.class,
      description = "May not be reached whatever else is said; can be given again.")
  List<NetworkRule> deny = new ArrayList<>();

  /** Null when nothing was said. */
  @Nullable NetworkPolicy policy() {
    return mode == null && allow.isEmpty() && deny.isEmpty()
        ? null
        : new NetworkPolicy(mode, allow, deny);
  }
}
