package dev.atoll.engine.net;

import dev.atoll.engine.cache.PackageSettings;
import dev.atoll.engine.cache.Upstreams;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registries that the package cache asks: what the administrator says, else what the host's own
 * package managers are configured for or bring along, else what those bring along that Debian has
 * put into the bases of templates. What a template adds by itself does not count, for it may be a
 * user's.
 */
final class HostUpstreams implements Upstreams {
  private static final Duration FRESH = Duration.ofHours(1);

  private final PackageSettings settings;
  private final Supplier<List<SearchRoot>> roots;
  private final DownloadHosts downloads;
  private final Supplier<Registries> registries;
  private @Nullable Found found;

  private record Found(List<URI> pip, List<URI> npm, long atNanos) {}

  /**
   * @param roots where to look, the host first
   * @param registries those that the server may ask although they are at private addresses
   */
  HostUpstreams(
      PackageSettings settings,
      Supplier<List<SearchRoot>> roots,
      DownloadHosts downloads,
      Supplier<Registries> registries) {
    this.settings = settings;
    this.roots = roots;
    this.downloads = downloads;
    this.registries = registries;
  }

  @Override
  public List<URI> pip() {
    return settings.pip().isEmpty() ? found().pip() : settings.pip();
  }

  @Override
  public List<URI> npm() {
    return settings.npm().isEmpty() ? found().npm() : settings.npm();
  }

  @Override
  public boolean mayAsk(URI address) {
    return downloads.mayAsk(address, registries.get()) || isConfigured(address);
  }

  /** A registry may hand out files from its own host, wherever that is. */
  private boolean isConfigured(URI address) {
    List<URI> own = new ArrayList<>(pip());
    own.addAll(npm());
    return own.stream()
        .anyMatch(
            one ->
                Objects.equals(one.getHost(), address.getHost())
                    && Objects.equals(one.getScheme(), address.getScheme())
                    && one.getPort() == address.getPort());
  }

  private synchronized Found found() {
    Found known = found;
    if (known == null || System.nanoTime() - known.atNanos() > FRESH.toNanos()) {
      List<URI> pip = List.of();
      List<URI> npm = List.of();
      for (SearchRoot root : roots.get()) {
        pip = pip.isEmpty() ? new PipConfiguration().indexes(root) : pip;
        npm = npm.isEmpty() ? new NpmConfiguration().registry(root) : npm;
      }
      known = new Found(pip, npm, System.nanoTime());
      found = known;
    }
    return known;
  }
}
