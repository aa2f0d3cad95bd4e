package dev.atoll.engine.net;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds package registries on the host and in templates, once each and again after some hours, in
 * the background.
 */
final class RegistryCatalog implements AutoCloseable {
  private static final Duration FRESH = Duration.ofHours(12);
  private static final int MAX_TEMPLATES = 256;
  private static final int SEARCHES = 4;

  private final NetworkSettings settings;
  private final DownloadHosts downloads;
  private final Supplier<SearchRoot> hostRoot;
  private final Semaphore searching = new Semaphore(SEARCHES);
  private final Map<Path, RegistrySearch> templates = new ConcurrentHashMap<>();
  private volatile @Nullable RegistrySearch host;
  private volatile boolean closed;

  RegistryCatalog(NetworkSettings settings, Resolver resolver, AddressGuard guard) {
    this(settings, new DownloadHosts(PageFetcher.real(), resolver, guard), SearchRoot::host);
  }

  RegistryCatalog(
      NetworkSettings settings, DownloadHosts downloads, Supplier<SearchRoot> hostRoot) {
    this.settings = settings;
    this.downloads = downloads;
    this.hostRoot = hostRoot;
  }

  RegistrySource of(@Nullable Path rootfs) {
    RegistrySearch ofHost = ofHost();
    if (rootfs == null || !settings.findRegistries()) {
      return ofHost;
    }
    if (templates.size() >= MAX_TEMPLATES && !templates.containsKey(rootfs)) {
      templates.clear();
    }
    RegistrySearch ofTemplate =
        templates.computeIfAbsent(
            rootfs, path -> search(() -> SearchRoot.template(path), List.of()));
    return new Both(ofHost, ofTemplate);
  }

  private synchronized RegistrySearch ofHost() {
    RegistrySearch known = host;
    if (known == null) {
      known = search(hostRoot, settings.registries());
      host = known;
    }
    return known;
  }

  private RegistrySearch search(Supplier<SearchRoot> root, List<URI> given) {
    List<Registry> named = new ArrayList<>();
    for (URI uri : given) {
      Registry registry = Registry.of(uri, "network.registries", true);
      if (registry != null) {
        named.add(registry);
      }
    }
    return new RegistrySearch(Registries.of(named), FRESH, grow -> run(root, grow));
  }

  private void run(Supplier<SearchRoot> root, RegistrySearch.Growing growing) {
    if (!settings.findRegistries() || closed) {
      return;
    }
    searching.acquireUninterruptibly();
    try {
      find(root.get(), growing);
    } finally {
      searching.release();
    }
  }

  /** First what configuration says, so that it counts at once; then what has to be asked for. */
  private void find(SearchRoot root, RegistrySearch.Growing growing) {
    record Candidate(PackageTool manager, URI uri) {}
    List<Candidate> candidates = new ArrayList<>();
    for (PackageTool manager : PackageTool.values()) {
      List<Registry> found = new ArrayList<>();
      for (ManagerConfiguration.Found one : manager.find(root)) {
        boolean trusted = one.configured() && root.isHost();
        Registry registry = Registry.of(one.uri(), one.source(), trusted);
        if (registry != null) {
          found.add(registry);
          candidates.add(new Candidate(manager, one.uri()));
        }
      }
      growing.add(found);
    }
    for (Candidate candidate : candidates.stream().distinct().toList()) {
      if (closed) {
        return;
      }
      growing.add(downloads.learn(candidate.manager(), candidate.uri(), growing.now()));
    }
  }

  /** The host's and the template's. */
  private record Both(RegistrySource host, RegistrySource template) implements RegistrySource {
    @Override
    public Registries current() {
      return host.current().plus(template.current().all());
    }

    @Override
    public Registries ofHost() {
      return host.current();
    }

    @Override
    public Registries settled(Duration patience) {
      long start = System.nanoTime();
      Registries first = host.settled(patience);
      Duration left = patience.minusNanos(System.nanoTime() - start);
      return first.plus(template.settled(left.isNegative() ? Duration.ZERO : left).all());
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
