package dev.atoll.engine.net;

import dev.atoll.model.AtollException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns where a registry has its packages downloaded from, by fetching one small page of it and
 * looking at its redirects and links: inside a sandbox's TLS nobody can see them. What is learned
 * is never more than a few hosts, and none that is learned may be at a private address.
 */
final class DownloadHosts {
  private static final Logger LOG = LoggerFactory.getLogger(DownloadHosts.class);
  private static final Duration LOOKUP = Duration.ofSeconds(5);
  private static final int MAX_REDIRECTS = 3;
  private static final int MAX_HOSTS = 6;

  private final PageFetcher fetcher;
  private final Resolver resolver;
  private final AddressGuard guard;

  DownloadHosts(PageFetcher fetcher, Resolver resolver, AddressGuard guard) {
    this.fetcher = fetcher;
    this.resolver = resolver;
    this.guard = guard;
  }

  /**
   * Further hosts of a registry.
   *
   * @param known the registries that may be asked although they are at private addresses
   */
  Set<Registry> learn(PackageTool manager, URI registry, Registries known) {
    Set<Registry> learned = new LinkedHashSet<>();
    URI next = manager.page(registry);
    try {
      for (int hop = 0; hop <= MAX_REDIRECTS && next != null && mayAsk(next, known); hop++) {
        PageFetcher.Fetched page = fetcher.fetch(next, manager.hasLinks());
        Matcher links = manager.links().matcher(page.text());
        // What comes without TLS could be anybody's word, unless the server itself trusts it.
        boolean believed = "https".equalsIgnoreCase(next.getScheme()) || isTrusted(next, known);
        while (believed && manager.hasLinks() && links.find() && learned.size() < MAX_HOSTS) {
          add(learned, ManagerConfiguration.uri(links.group(1)), registry);
        }
        URI location = page.location();
        boolean here = location != null && Objects.equals(location.getHost(), next.getHost());
        next = believed || here ? location : null;
        add(learned, next, registry);
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.info(
          "registry {} could not be asked for its downloads: {}", registry.getHost(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return learned;
  }

  private static boolean isTrusted(URI uri, Registries known) {
    Registry host = Registry.of(uri, "", false);
    return host != null && known.isTrusted(new Target(host.host(), null, host.port()));
  }

  private static void add(Set<Registry> learned, @Nullable URI uri, URI registry) {
    Registry found =
        uri == null ? null : Registry.of(uri, "downloads of " + registry.getHost(), false);
    if (found != null && learned.size() < MAX_HOSTS) {
      learned.add(found);
    }
  }

  /**
   * The kind of forbidden address that a host is at; null for none, and unknown for a host that
   * there is not.
   */
  @Nullable String kind(URI uri) {
    Registry host = Registry.of(uri, "", false);
    if (host == null) {
      return "unknown";
    }
    Target target;
    try {
      target = Target.parse(host.host(), host.port());
    } catch (AtollException e) {
      return "unknown";
    }
    List<InetAddress> addresses = addresses(target);
    return addresses.isEmpty()
        ? "unknown"
        : addresses.stream()
            .map(address -> kind(target, address))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
  }

  /** The kind of forbidden address that this one is; null for none. */
  @Nullable String kind(Target target, InetAddress address) {
    return guard.forbids(target, address, Registries.none());
  }

  private List<InetAddress> addresses(Target target) {
    InetAddress literal = target.address();
    if (literal != null) {
      return List.of(literal);
    }
    return resolver.resolve(target.host(), LOOKUP) instanceof Resolver.Answer.Found found
        ? found.addresses()
        : List.of();
  }

  /** The server itself must not be led to a private address by what a template or a page says. */
  private boolean mayAsk(URI uri, Registries known) {
    Registry host = Registry.of(uri, "", false);
    if (host == null) {
      return false;
    }
    Target target;
    try {
      target = Target.parse(host.host(), host.port());
    } catch (AtollException e) {
      return false;
    }
    List<InetAddress> addresses = addresses(target);
    return !addresses.isEmpty()
        && addresses.stream().allMatch(a -> guard.forbids(target, a, known) == null);
  }
}
