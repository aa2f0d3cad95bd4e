package dev.atoll.engine.net;

import dev.atoll.model.NetworkRule;
import java.net.InetAddress;

/**
 * What a refused program's user is told: what was refused, by which rule, and what would allow it.
 * Each text is one line.
 *
 * @param sandbox what the commands name
 */
record Advice(String sandbox) {
  private static final String CEILING =
      "; the project's network ceiling has to be raised by the server's administrator";

  Decision.Refused denied(Target target, NetworkRule rule, boolean above) {
    return refused(
        rule("deny " + rule, above),
        "%s is denied by the rule %s".formatted(target, rule)
            + (above
                ? CEILING
                : "; remove it with `atoll network remove %s %s`".formatted(sandbox, rule)));
  }

  Decision.Refused noNetwork(Target target, boolean above) {
    return refused(
        rule("none", above),
        "%s cannot be reached: the network mode is none".formatted(target)
            + (above
                ? CEILING
                : "; change it with `atoll network mode %s packages`".formatted(sandbox)));
  }

  Decision.Refused notListed(Target target, boolean packages, boolean above) {
    String list = packages ? "among the package registries" : "on the allow list";
    return refused(
        rule(packages ? "packages" : "allowlist", above),
        "%s is not %s".formatted(target, list)
            + (above
                ? CEILING
                : "; allow it with `atoll network allow %s %s`".formatted(sandbox, target.host())));
  }

  Decision.Refused forbidden(Target target, InetAddress address, String range) {
    String what = target.isName() ? target + " is " + address.getHostAddress() : target.toString();
    return new Decision.Refused(
        "forbidden " + range,
        "forbidden_address",
        // The record cuts what is long.
        "%s, a %s address, which no sandbox may reach unless network.reachable names %s"
            .formatted(what, range, target.host()));
  }

  private static String rule(String rule, boolean above) {
    return above ? "ceiling " + rule : rule;
  }

  private static Decision.Refused refused(String rule, String message) {
    return new Decision.Refused(rule, "policy", message);
  }
}
