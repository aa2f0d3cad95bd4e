package dev.atoll.sdk;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What options have said about the network so far. */
final class NetworkChoice {
  private final List<NetworkRule> allow = new ArrayList<>();
  private final List<NetworkRule> deny = new ArrayList<>();
  private @Nullable NetworkMode mode;

  void mode(NetworkMode chosen) {
    mode = chosen;
  }

  void allow(String... rules) {
    add(allow, rules);
  }

  void deny(String... rules) {
    add(deny, rules);
  }

  /** Null when nothing was said. */
  @Nullable NetworkPolicy policy() {
    return mode == null && allow.isEmpty() && deny.isEmpty()
        ? null
        : new NetworkPolicy(mode, allow, deny);
  }

  private static void add(List<NetworkRule> to, String... rules) {
    for (String rule : rules) {
      to.add(NetworkRule.parse(rule));
    }
  }
}
