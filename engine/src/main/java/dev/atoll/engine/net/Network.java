package dev.atoll.engine.net;

import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.cache.Upstreams;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.store.CeilingRows;
import dev.atoll.engine.store.ConnectionRows;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.ProjectNetworkInfo;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What all sandboxes of a server share on their way out. */
public final class Network implements AutoCloseable {
  private static final Duration PURGE_EVERY = Duration.ofMinutes(10);
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(5);
  private static final Duration ADVICE_PATIENCE = Duration.ofSeconds(3);

  private final NetworkSettings settings;
  private final ConnectionRows rows;
  private final CeilingRows ceilings;
  private final ConnectionLog connections;
  private final Resolver resolver;
  private final Dialer dialer;
  private final AddressGuard guard;
  private final Set<HostUpstreams> asked = ConcurrentHashMap.newKeySet();
  private final RegistryCatalog catalog;
  private final Map<String, ProjectNetwork> projects = new ConcurrentHashMap<>();
  private volatile @Nullable PackageCache packages;
  private final Set<Egress> open = ConcurrentHashMap.newKeySet();

  /** With the host's resolver and the registries that the host's package managers use. */
  public Network(
      NetworkSettings settings, ConnectionRows rows, CeilingRows ceilings, Deadlines deadlines) {
    this(
        settings,
        rows,
        ceilings,
        deadlines,
        new Resolver(),
        new StaggeredDialer(),
        new AddressGuard(settings.reachable()));
  }

  Network(
      NetworkSettings settings,
      ConnectionRows rows,
      CeilingRows ceilings,
      Deadlines deadlines,
      Resolver resolver,
      Dialer dialer,
      AddressGuard guard) {
    this.settings = settings;
    this.rows = rows;
    this.ceilings = ceilings;
    this.resolver = resolver;
    this.dialer = dialer;
    this.guard = guard;
    this.connections = new ConnectionLog(rows);
    this.catalog = new RegistryCatalog(settings, resolver, guard);
    int _ = rows.endOpen("the server was restarted");
    Duration sweep =
        settings.idleTimeout().compareTo(SWEEP_EVERY.multipliedBy(4)) < 0
            ? settings.idleTimeout().dividedBy(4)
            : SWEEP_EVERY;
    deadlines.every(sweep, "network-idle", this::sweep);
    deadlines.every(
        PURGE_EVERY,
        "network-retention",
        () -> connections.purge(settings.retention(), settings.maxRecords()));
  }

  /** The way out of a sandbox; to be closed when the sandbox ends. */
  public Egress open(
      String sandbox, String project, NetworkPolicy policy, RegistrySource registries) {
    ProjectNetwork ofProject = shared(project);
    TrafficAccount account =
        new TrafficAccount(
            "the sandbox",
            settings.sandbox(),
            ofProject.account(),
            rows.bytesOfSandbox(sandbox, TrafficAccount.startOfDay()));
    Egress egress = new Egress(this, ofProject, sandbox, policy, registries, account);
    open.add(egress);
    return egress;
  }

  private ProjectNetwork shared(String name) {
    return projects.computeIfAbsent(
        name,
        n ->
            new ProjectNetwork(
                n,
                new TrafficAccount(
                    "the project",
                    settings.project(),
                    null,
                    rows.bytesOfProject(n, TrafficAccount.startOfDay())),
                bound(ceilings.of(n).orElse(settings.ceiling()))));
  }

  /** What is open to everything bounds nothing, and need not be asked. */
  private static @Nullable NetworkPolicy bound(NetworkPolicy ceiling) {
    return ceiling.mode() == NetworkMode.OPEN && ceiling.deny().isEmpty() ? null : ceiling;
  }

  /** What the sandboxes of a project cannot exceed, and what they use together. */
  public ProjectNetworkInfo project(String project) {
    TrafficAccount account = shared(project).account();
    Optional<NetworkPolicy> own = ceilings.of(project);
    return new ProjectNetworkInfo(
        project,
        own.orElse(settings.ceiling()),
        own.isPresent(),
        account.connections(),
        account.bytesToday());
  }

  /**
   * Sets what no policy of the project's sandboxes can exceed, in place of the settings' ceiling;
   * null for that one again. Takes effect at once, on open connections too.
   */
  public synchronized ProjectNetworkInfo ceiling(String project, @Nullable NetworkPolicy ceiling) {
    if (ceiling == null) {
      ceilings.remove(project);
    } else {
      ceilings.set(project, ceiling);
    }
    shared(project).ceiling(bound(ceiling == null ? settings.ceiling() : ceiling));
    open.forEach(Egress::recheck);
    return project(project);
  }

  /**
   * The registries for sandboxes of a template: the host's, the administrator's, and those that the
   * template's root file system is configured for.
   *
   * @param rootfs null for a template without one
   */
  public RegistrySource registries(@Nullable Path rootfs) {
    return catalog.of(rootfs);
  }

  /** What stands between sandboxes and registries that they are meant to reach, a line each. */
  public List<String> advice() {
    Set<String> cached =
        asked.stream()
            .flatMap(upstreams -> upstreams.own().stream())
            .map(URI::getHost)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return new RegistryAdvice(resolver, guard)
        .of(catalog.of(null).settled(ADVICE_PATIENCE), cached);
  }

  /**
   * The registries that a package cache asks.
   *
   * @param bases the folder of the templates, whose Debian parts tell what their managers ask
   */
  public Upstreams upstreams(PackageSettings of, Path bases) {
    DownloadHosts downloads = new DownloadHosts(PageFetcher.real(), resolver, guard);
    HostUpstreams upstreams =
        new HostUpstreams(
            of,
            () -> SearchRoot.hostAndBases(settings.findRegistries(), bases),
            downloads,
            resolver,
            dialer);
    asked.add(upstreams);
    return upstreams;
  }

  /** Says what answers for {@link PackageCache#HOST}; before, there is no such host. */
  public void packages(PackageCache cache) {
    packages = cache;
  }

  /** What answers for the host of packages. */
  public @Nullable PackageCache packages() {
    return packages;
  }

  /** The record of all connections. */
  public ConnectionLog connections() {
    return connections;
  }

  /**
   * A proxy for a client of the server's own that strangers send somewhere.
   *
   * @param plain hosts, with their port unless it is the usual one, that may be anywhere and need
   *     not speak TLS
   */
  public GuardedProxy proxy(Set<String> plain) throws IOException {
    return new GuardedProxy(
        resolver, dialer, ProxyGate.publicOr(plain, guard), settings.connectDeadline());
  }

  NetworkSettings settings() {
    return settings;
  }

  Resolver resolver() {
    return resolver;
  }

  Dialer dialer() {
    return dialer;
  }

  AddressGuard guard() {
    return guard;
  }

  void closed(Egress egress) {
    open.remove(egress);
  }

  private void sweep() {
    long now = System.nanoTime();
    open.forEach(egress -> egress.sweep(now));
  }

  /** Closes all connections and writes the record. */
  @Override
  public void close() {
    open.forEach(Egress::close);
    asked.forEach(HostUpstreams::close);
    catalog.close();
    resolver.close();
    connections.close();
  }
}
