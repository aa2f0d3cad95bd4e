package dev.atoll.engine.net;

import dev.atoll.model.Cidr;
import dev.atoll.model.NetworkRule;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps sandboxes away from addresses that are not public, and from the server itself, whatever
 * their policies say.
 *
 * <p>Two things lift that for an address: a rule of the administrator's, and being a registry that
 * the server itself is configured to use. The server's own addresses have to be named one by one: a
 * block or a wildcard does not open them.
 */
public final class AddressGuard {
  private final List<NetworkRule> reachable;
  private final Supplier<Set<InetAddress>> own;

  /**
   * @param reachable the administrator's exceptions
   */
  public AddressGuard(List<NetworkRule> reachable) {
    this(reachable, new OwnAddresses());
  }

  AddressGuard(List<NetworkRule> reachable, Supplier<Set<InetAddress>> own) {
    this.reachable = List.copyOf(reachable);
    this.own = own;
  }

  /** What kind of forbidden address it is; null when it may be reached. */
  @Nullable String forbids(Target target, InetAddress address, Registries registries) {
    boolean ours = isOurs(address) || CarriedAddresses.by(address).stream().anyMatch(this::isOurs);
    String range = ours ? "server's own" : ForbiddenRanges.of(address);
    if (range == null || registries.isTrusted(target)) {
      return null;
    }
    for (NetworkRule rule : reachable) {
      if (lifts(rule, target, address) && (!ours || isPrecise(rule))) {
        return null;
      }
    }
    return range;
  }

  private boolean isOurs(InetAddress address) {
    return address.isLoopbackAddress() || own.get().contains(address);
  }

  private static boolean lifts(NetworkRule rule, Target target, InetAddress address) {
    return (target.isName() && rule.matchesName(target.host(), target.portFor(rule)))
        || rule.matchesAddress(address, target.portFor(rule));
  }

  private static boolean isPrecise(NetworkRule rule) {
    Cidr addresses = rule.addresses();
    String name = rule.name();
    return addresses == null ? name != null && !name.startsWith("*") : addresses.isSingle();
  }
}
