package dev.atoll.engine.net;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds registries that sandboxes are meant to reach and that no sandbox may reach, for they are at
 * addresses that are not public and nobody has named them in the server's settings.
 */
record RegistryAdvice(Resolver resolver, AddressGuard guard) {
  /** Names are looked up for this long in all; what is left then is not told. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * One line for each, with the setting that would allow it.
   *
   * @param cached hosts that the package cache asks, wherever they are
   */
  List<String> of(Registries registries, Set<String> cached) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    List<String> advice = new ArrayList<>();
    List<Registry> sorted =
        registries.all().stream()
            .sorted(Comparator.comparing(Registry::host).thenComparingInt(Registry::port))
            .toList();
    for (Registry registry : sorted) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      if (!left.isPositive()) {
        break;
      }
      String line = of(registry, registries, cached, left);
      if (line != null) {
        advice.add(line);
      }
    }
    return advice;
  }

  private @Nullable String of(
      Registry registry, Registries registries, Set<String> cached, Duration left) {
    Target target = Target.parse(registry.host(), registry.port());
    for (InetAddress address : addresses(target, left)) {
      String range = guard.forbids(target, address, registries);
      if (range != null) {
        String by = cached.contains(registry.host()) ? " but by the package cache" : "";
        return "the registry %s (%s) is at %s, a %s address, which no sandbox may reach%s: name %s in network.reachable to allow it"
            .formatted(
                target, registry.source(), address.getHostAddress(), range, by, registry.host());
      }
    }
    return null;
  }

  private List<InetAddress> addresses(Target target, Duration left) {
    InetAddress literal = target.address();
    if (literal != null) {
      return List.of(literal);
    }
    return resolver.resolve(target.host(), left) instanceof Resolver.Answer.Found found
        ? found.addresses()
        : List.of();
  }
}
