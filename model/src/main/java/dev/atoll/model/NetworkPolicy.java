package dev.atoll.model;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox may reach.
 *
 * <p>A rule in {@code deny} wins over everything. Then the mode decides: {@code none} allows
 * nothing; {@code packages} allows the package registries and what {@code allow} names; {@code
 * allowlist} allows what {@code allow} names; {@code open} allows every public address. Addresses
 * that are not public are never reached by a policy alone: the administrator of the server has to
 * name them as well.
 *
 * @param mode {@code packages} when left out
 * @param allow what may be reached besides what the mode allows
 * @param deny what may not be reached whatever else is said
 */
public record NetworkPolicy(
    @Nullable NetworkMode mode,
    @Nullable List<NetworkRule> allow,
    @Nullable List<NetworkRule> deny) {
  private static final int MAX_RULES = 1000;

  public NetworkPolicy {
    mode = mode == null ? NetworkMode.PACKAGES : mode;
    allow = allow == null ? List.of() : List.copyOf(allow);
    deny = deny == null ? List.of() : List.copyOf(deny);
    Check.that(allow.size() <= MAX_RULES, "allow", "has more than " + MAX_RULES + " rules");
    Check.that(deny.size() <= MAX_RULES, "deny", "has more than " + MAX_RULES + " rules");
  }

  /** Package registries and nothing else. */
  public static NetworkPolicy defaults() {
    return of(NetworkMode.PACKAGES);
  }

  /** A mode without rules. */
  public static NetworkPolicy of(NetworkMode mode) {
    return new NetworkPolicy(mode, List.of(), List.of());
  }

  /** What the mode allows and these rules besides. */
  public static NetworkPolicy of(NetworkMode mode, String... allow) {
    return new NetworkPolicy(mode, Stream.of(allow).map(NetworkRule::parse).toList(), List.of());
  }

  /** The same with one more rule that allows; it no longer denies. */
  public NetworkPolicy allowing(NetworkRule rule) {
    return new NetworkPolicy(mode, with(allow(), rule), without(deny(), rule));
  }

  /** The same with one more rule that denies; it no longer allows. */
  public NetworkPolicy denying(NetworkRule rule) {
    return new NetworkPolicy(mode, without(allow(), rule), with(deny(), rule));
  }

  /** The same without a rule, whether it allowed or denied. */
  public NetworkPolicy without(NetworkRule rule) {
    return new NetworkPolicy(mode, without(allow(), rule), without(deny(), rule));
  }

  /** The same rules in another mode. */
  public NetworkPolicy withMode(NetworkMode newMode) {
    return new NetworkPolicy(newMode, allow, deny);
  }

  private static List<NetworkRule> with(List<NetworkRule> rules, NetworkRule rule) {
    return Stream.concat(rules.stream(), Stream.of(rule)).distinct().toList();
  }

  private static List<NetworkRule> without(List<NetworkRule> rules, NetworkRule rule) {
    return rules.stream().filter(one -> !one.equals(rule)).toList();
  }

  /** Never null, although it may be left out on the wire. */
  @Override
  public NetworkMode mode() {
    return mode == null ? NetworkMode.PACKAGES : mode;
  }

  /** Never null, although it may be left out on the wire. */
  @Override
  public List<NetworkRule> allow() {
    return allow == null ? List.of() : allow;
  }

  /** Never null, although it may be left out on the wire. */
  @Override
  public List<NetworkRule> deny() {
    return deny == null ? List.of() : deny;
  }
}
