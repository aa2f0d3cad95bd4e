package dev.atoll.engine.net;

import dev.atoll.engine.cache.PackageCache;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox's policy under its project's ceiling. Both have to allow what is reached, so a ceiling
 * cannot be exceeded whatever the sandbox's policy says, and may be lowered at any time.
 *
 * <p>Asked twice: for what a program named, before anything is looked up, and for each address that
 * the name stands for.
 *
 * @param registries those of the host and of the template, for the sandbox's policy
 * @param ofHost those of the host alone, for the ceiling: whoever writes a template must not widen
 *     what the administrator has set
 */
record PolicyCheck(
    NetworkPolicy policy,
    @Nullable NetworkPolicy ceiling,
    Registries registries,
    Registries ofHost,
    Advice advice) {

  /** Whether this may be looked up at all. */
  Decision decide(Target target) {
    Decision own = decide(policy, target, false);
    if (own instanceof Decision.Refused || ceiling == null) {
      return own;
    }
    Decision above = decide(ceiling, target, true);
    return above instanceof Decision.Allowed ? own : above;
  }

  /** Whether this address of it may be dialled, as far as policies go. */
  Decision decide(Target target, InetAddress address) {
    Decision own = decide(policy, target, address, false);
    if (own instanceof Decision.Refused || ceiling == null) {
      return own;
    }
    Decision above = decide(ceiling, target, address, true);
    return above instanceof Decision.Refused ? above : own;
  }

  /** The rule that denies a name which a program has used without asking for it. */
  Optional<NetworkRule> denying(String name, int port) {
    Target used = new Target(name, null, port);
    Optional<NetworkRule> own = denying(policy, used);
    return own.isPresent() || ceiling == null ? own : denying(ceiling, used);
  }

  private Decision decide(NetworkPolicy asked, Target target, boolean above) {
    Optional<NetworkRule> denied = denying(asked, target);
    if (denied.isPresent()) {
      return advice.denied(target, denied.get(), above);
    }
    return switch (asked.mode()) {
      case NONE -> advice.noNetwork(target, above);
      case OPEN -> new Decision.Allowed("open");
      case PACKAGES, ALLOWLIST -> listed(asked, target, above);
    };
  }

  private Decision listed(NetworkPolicy asked, Target target, boolean above) {
    Optional<NetworkRule> allowed = allowing(asked, target);
    if (allowed.isPresent()) {
      return new Decision.Allowed("allow " + allowed.get());
    }
    boolean packages = asked.mode() == NetworkMode.PACKAGES;
    boolean cache = PackageCache.is(target.host(), target.port());
    if (packages && (cache || (above ? ofHost : registries).contains(target))) {
      return new Decision.Allowed("packages");
    }
    boolean mayBeByAddress =
        target.isName()
            && asked.allow().stream()
                .anyMatch(
                    rule -> rule.addresses() != null && rule.matchesPort(target.portFor(rule)));
    return mayBeByAddress ? new Decision.Open() : advice.notListed(target, packages, above);
  }

  private Decision decide(NetworkPolicy asked, Target target, InetAddress address, boolean above) {
    Optional<NetworkRule> denied =
        asked.deny().stream().filter(rule -> isAbout(rule, address, target.port())).findFirst();
    if (denied.isPresent()) {
      return advice.denied(target, denied.get(), above);
    }
    Decision byName = decide(asked, target, above);
    if (!(byName instanceof Decision.Open)) {
      return byName;
    }
    return asked.allow().stream()
        .filter(rule -> rule.matchesAddress(address, target.portFor(rule)))
        .findFirst()
        .<Decision>map(rule -> new Decision.Allowed("allow " + rule))
        .orElseGet(() -> advice.notListed(target, false, above));
  }

  private static Optional<NetworkRule> allowing(NetworkPolicy asked, Target target) {
    return asked.allow().stream()
        .filter(rule -> matches(rule, target, target.portFor(rule)))
        .findFirst();
  }

  /** A question about a name alone is denied only if all its ports are: no range holds port 0. */
  private static Optional<NetworkRule> denying(NetworkPolicy asked, Target target) {
    InetAddress address = target.address();
    return asked.deny().stream()
        .filter(
            rule ->
                address == null
                    ? rule.matchesName(target.host(), target.port())
                    : isAbout(rule, address, target.port()))
        .findFirst();
  }

  /** What denies an address denies the IPv6 addresses that carry it. */
  private static boolean isAbout(NetworkRule rule, InetAddress address, int port) {
    return rule.matchesAddress(address, port)
        || CarriedAddresses.by(address).stream()
            .anyMatch(carried -> rule.matchesAddress(carried, port));
  }

  private static boolean matches(NetworkRule rule, Target target, int port) {
    InetAddress address = target.address();
    return address == null
        ? rule.matchesName(target.host(), port)
        : rule.matchesAddress(address, port);
  }
}
