package dev.atoll.engine.net;

import dev.atoll.engine.cache.GoSums;
import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.cache.RegistryWay;
import dev.atoll.engine.cache.Upstreams;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registries that the package cache asks: what the administrator says, else what the host's own
 * package managers are configured for or bring along, else what those bring along that Debian has
 * put into the bases of templates. What a template adds by itself does not count, for it may be a
 * user's.
 */
final class HostUpstreams implements Upstreams, AutoCloseable {
  private static final Duration FRESH = Duration.ofHours(1);
  private static final Set<String> NEVER =
      Set.of(
          "server's own", "loopback", "link-local", "metadata", "multicast", "reserved", "unknown");

  private final PackageSettings settings;
  private final Supplier<List<SearchRoot>> roots;
  private final DownloadHosts downloads;
  private final RegistryProxy way;
  private @Nullable Found found;

  private record Found(
      List<URI> pip,
      List<URI> npm,
      List<URI> apt,
      List<URI> maven,
      List<URI> go,
      @Nullable GoSums goSums,
      List<URI> cargo,
      long atNanos) {}

  /**
   * @param roots where to look, the host first
   */
  HostUpstreams(
      PackageSettings settings,
      Supplier<List<SearchRoot>> roots,
      DownloadHosts downloads,
      Resolver resolver,
      Dialer dialer) {
    this.settings = settings;
    this.roots = roots;
    this.downloads = downloads;
    this.way = new RegistryProxy(resolver, dialer, this::pass);
  }

  @Override
  public List<URI> pip() {
    return settings.pip().isEmpty() ? found().pip() : settings.pip();
  }

  @Override
  public List<URI> npm() {
    return settings.npm().isEmpty() ? found().npm() : settings.npm();
  }

  /** All that are known: templates have the archives that their Debian came from. */
  @Override
  public List<URI> apt() {
    List<URI> all = new ArrayList<>(settings.apt());
    all.addAll(found().apt());
    return all.stream().distinct().toList();
  }

  @Override
  public List<URI> maven() {
    return settings.maven().isEmpty() ? found().maven() : settings.maven();
  }

  @Override
  public List<URI> go() {
    return settings.go().isEmpty() ? found().go() : settings.go();
  }

  @Override
  public @Nullable GoSums goSums() {
    return found().goSums();
  }

  @Override
  public List<URI> cargo() {
    return settings.cargo().isEmpty() ? found().cargo() : settings.cargo();
  }

  @Override
  public RegistryWay way() {
    return way;
  }

  /**
   * Public addresses; the registries' own hosts; and, where a registry is at an address of a
   * company's own, others of that kind, for such a registry has its files there.
   */
  private List<InetAddress> pass(Target target, boolean tls, Supplier<List<InetAddress>> lookup)
      throws ProxyGate.Refused {
    List<URI> own = own();
    List<InetAddress> found = lookup.get();
    if (own.stream().anyMatch(one -> isAt(one, target, tls))) {
      return ProxyGate.atLeastOne(target, found, List.of());
    }
    List<InetAddress> allowed = new ArrayList<>();
    List<String> forbidden = new ArrayList<>();
    for (InetAddress address : found) {
      String kind = downloads.kind(target, address);
      if (kind == null || isKindOf(own, kind)) {
        allowed.add(address);
      } else {
        forbidden.add(kind);
      }
    }
    return ProxyGate.atLeastOne(target, allowed, forbidden);
  }

  /** All registries that are asked. */
  List<URI> own() {
    List<URI> own = new ArrayList<>(pip());
    own.addAll(npm());
    own.addAll(apt());
    own.addAll(maven());
    own.addAll(go());
    own.addAll(cargo());
    GoSums sums = goSums();
    if (sums != null) {
      own.add(sums.address());
    }
    return own;
  }

  private boolean isKindOf(List<URI> own, String kind) {
    return !NEVER.contains(kind) && own.stream().anyMatch(one -> kind.equals(downloads.kind(one)));
  }

  private static boolean isAt(URI one, Target target, boolean tls) {
    return target.host().equalsIgnoreCase(one.getHost())
        && target.port() == RegistryProxy.port(one)
        && tls == "https".equals(one.getScheme());
  }

  private synchronized Found found() {
    Found known = found;
    if (known == null || System.nanoTime() - known.atNanos() > FRESH.toNanos()) {
      List<URI> pip = List.of();
      List<URI> npm = List.of();
      List<URI> maven = List.of();
      List<URI> go = List.of();
      GoConfiguration.Sums sums = null;
      List<URI> cargo = List.of();
      Set<URI> apt = new LinkedHashSet<>();
      for (SearchRoot root : roots.get()) {
        pip = pip.isEmpty() ? new PipConfiguration().indexes(root) : pip;
        npm = npm.isEmpty() ? new NpmConfiguration().registry(root) : npm;
        maven = maven.isEmpty() ? new MavenConfiguration().repository(root) : maven;
        go = go.isEmpty() ? new GoConfiguration().proxies(root) : go;
        sums = sums == null ? new GoConfiguration().sums(root) : sums;
        cargo = cargo.isEmpty() ? new CargoConfiguration().index(root) : cargo;
        new AptConfiguration()
            .find(root).stream().map(ManagerConfiguration::withoutUser).forEach(apt::add);
      }
      known =
          new Found(
              pip,
              npm,
              List.copyOf(apt),
              maven,
              go,
              sums == null ? null : sums.database(),
              cargo,
              System.nanoTime());
      found = known;
    }
    return known;
  }

  @Override
  public void close() {
    way.close();
  }
}
