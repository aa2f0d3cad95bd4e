package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Files of packages: from the disk, or from their registry, and then fetched once for all. */
final class PackageFiles {
  private final CacheFolder folder;
  private final Fetcher fetcher;
  private final Counts counts;
  private final Map<String, Download> downloads = new ConcurrentHashMap<>();

  PackageFiles(CacheFolder folder, Fetcher fetcher, Counts counts) {
    this.folder = folder;
    this.fetcher = fetcher;
    this.counts = counts;
  }

  /**
   * A file; a {@link MissingException} when the registry has none.
   *
   * @param promise what it has to be; without one it is passed on and not kept
   * @param address where the registry has it
   */
  Body open(@Nullable Promise promise, URI address) throws IOException {
    if (promise == null) {
      counts.miss();
      return new Passing(fetch(address));
    }
    Path place = folder.file(promise.key());
    if (Files.exists(place)) {
      try {
        Body body = FileBody.open(place, 0);
        CacheFolder.touch(place);
        counts.hit();
        return body;
      } catch (NoSuchFileException e) {
        // It has just made room for another.
      }
    }
    counts.miss();
    return downloads.computeIfAbsent(promise.key(), key -> start(promise, address)).body();
  }

  private Download start(Promise promise, URI address) {
    Download download = new Download(promise, folder, counts);
    Runnable leaving = () -> downloads.remove(promise.key(), download);
    Thread.ofVirtual()
        .name("download-" + promise.key())
        .start(
            () -> {
              try {
                download.run(() -> fetch(address), leaving);
              } finally {
                leaving.run();
              }
            });
    return download;
  }

  private Fetcher.Fetched fetch(URI address) throws IOException {
    Fetcher.Fetched fetched = fetcher.get(address, Map.of());
    if (fetched.status() == 200) {
      return fetched;
    }
    fetched.close();
    if (fetched.status() == 404 || fetched.status() == 410) {
      throw new MissingException(address.getHost() + " has no such file");
    }
    throw new IOException(address.getHost() + " answers with status " + fetched.status());
  }

  /** What is not kept. */
  private final class Passing implements Body {
    private final Fetcher.Fetched fetched;

    Passing(Fetcher.Fetched fetched) {
      this.fetched = fetched;
    }

    @Override
    public long length() {
      return fetched.length();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      counts.fetched(fetched.body().transferTo(out));
    }

    @Override
    public void close() throws IOException {
      fetched.close();
    }
  }
}
