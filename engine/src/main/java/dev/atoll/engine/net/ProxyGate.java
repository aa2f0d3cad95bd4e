package dev.atoll.engine.net;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says at which addresses a {@link GuardedProxy} may reach a place. */
interface ProxyGate {

  /**
   * The addresses that may be dialled; no other will be.
   *
   * @param tls whether TLS will be spoken there
   * @param lookup the addresses that the place has, looked up once
   * @throws Refused when there is none
   */
  List<InetAddress> pass(Target target, boolean tls, Supplier<List<InetAddress>> lookup)
      throws Refused;

  /**
   * Is told how it went.
   *
   * @param trouble null when the place was reached
   */
  default void ended(Target target, @Nullable String trouble) {}

  /** That place may not be reached. */
  final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    Refused(String why) {
      super(why);
    }
  }

  /**
   * With TLS to public addresses alone, and to hosts that the administrator has named in any way.
   */
  static ProxyGate publicOr(Set<String> named, AddressGuard guard) {
    Set<String> hosts =
        named.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    return (target, tls, lookup) -> {
      if (hosts.contains(target.host() + ":" + target.port()) || hosts.contains(target.host())) {
        return atLeastOne(target, lookup.get(), List.of());
      }
      if (!tls) {
        throw new Refused("http://" + target.host() + " is not encrypted");
      }
      List<InetAddress> allowed = new ArrayList<>();
      List<String> forbidden = new ArrayList<>();
      for (InetAddress address : lookup.get()) {
        String range = guard.forbids(target, address, Registries.none());
        if (range == null) {
          allowed.add(address);
        } else {
          forbidden.add(range);
        }
      }
      return atLeastOne(target, allowed, forbidden);
    };
  }

  /** The addresses that are allowed, of which there must be one. */
  static List<InetAddress> atLeastOne(
      Target target, List<InetAddress> allowed, List<String> forbidden) throws Refused {
    if (allowed.isEmpty()) {
      throw new Refused(
          forbidden.isEmpty()
              ? target + " has no address"
              : "%s is at a %s address, and network.reachable does not name it"
                  .formatted(target, forbidden.getFirst()));
    }
    return allowed;
  }
}
