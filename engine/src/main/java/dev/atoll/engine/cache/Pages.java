package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages of indexes. A young one is given as it is; an old one when the registry says that it is
 * still valid, or does not answer.
 */
final class Pages {
  private static final Logger LOG = LoggerFactory.getLogger(Pages.class);
  private static final long MAX_PAGE = 256L << 20;

  /** Counts how pages have been translated. */
  private static final int FORM = 2;

  private static final int MAX_ABSENT = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How long a registry that did not answer is not asked again for what is known. */
  private static final Duration SILENCE = Duration.ofSeconds(15);

  private final CacheFolder folder;
  private final Fetcher fetcher;
  private final Duration age;
  private final Counts counts;
  private final ReentrantLock[] locks = new ReentrantLock[64];
  private final Map<String, Instant> silent = new ConcurrentHashMap<>();
  private final Set<String> absent = ConcurrentHashMap.newKeySet();

  Pages(CacheFolder folder, Fetcher fetcher, Duration age, Counts counts) {
    this.folder = folder;
    this.fetcher = fetcher;
    this.age = age;
    this.counts = counts;
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /** Makes of a registry's page one for guests. */
  interface Translation {
    /**
     * Reads the registry's page and writes the other.
     *
     * @return the type of what was written
     */
    String translate(Fetcher.Fetched from, OutputStream to, FileList files) throws IOException;
  }

  /** Takes the files that a page names. */
  interface FileList {
    void add(Page.NamedFile file) throws IOException;
  }

  /** A page and how it is asked for. */
  record Wanted(URI address, String accept, Translation translation) {
    /** Other than that of pages which an older server has translated in another way. */
    String key() {
      return Digests.sha256(FORM + "\n" + address + "\n" + accept);
    }
  }

  /** The page; null when the registry has none. */
  @Nullable Page get(Wanted wanted) throws IOException {
    return get(wanted, age);
  }

  /** The page if it is here, however old it is; the registry is not asked. */
  @Nullable Page kept(Wanted wanted) throws IOException {
    return Page.read(folder.page(wanted.key()));
  }

  /** The page, however old it is; null when the registry has none. */
  @Nullable Page known(Wanted wanted) throws IOException {
    return get(wanted, Duration.ofDays(3650));
  }

  private @Nullable Page get(Wanted wanted, Duration atMost) throws IOException {
    Path place = folder.page(wanted.key());
    ReentrantLock lock = locks[Math.floorMod(place.hashCode(), locks.length)];
    lock(lock);
    try {
      Page page = Page.read(place);
      if (page != null && page.validAt().isAfter(Instant.now().minus(atMost))) {
        counts.hit();
        return page;
      }
      return page == null ? first(wanted, place) : renewed(wanted, place, page);
    } finally {
      lock.unlock();
    }
  }

  /** That there is none is remembered for as long as the registry does not answer. */
  private @Nullable Page first(Wanted wanted, Path place) throws IOException {
    try {
      return fetch(wanted, place, null);
    } catch (IOException e) {
      if (absent.contains(wanted.key())) {
        counts.stale();
        return null;
      }
      throw e;
    }
  }

  private static void lock(ReentrantLock lock) throws IOException {
    try {
      if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("another request has waited for the registry for a minute");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private @Nullable Page renewed(Wanted wanted, Path place, Page old) throws IOException {
    Instant since = silent.get(host(wanted));
    if (since != null && since.isAfter(Instant.now().minus(SILENCE))) {
      counts.stale();
      return old;
    }
    try {
      return fetch(wanted, place, old);
    } catch (IOException e) {
      LOG.info("{} could not be asked, an older page is used: {}", host(wanted), e.toString());
      counts.stale();
      return old;
    }
  }

  private static String host(Wanted wanted) {
    return String.valueOf(wanted.address().getAuthority());
  }

  private @Nullable Page fetch(Wanted wanted, Path place, @Nullable Page old) throws IOException {
    counts.miss();
    try (Fetcher.Fetched fetched = ask(wanted, old)) {
      silent.remove(host(wanted));
      if (fetched.status() == 304 && old != null) {
        CacheFolder.touch(place);
        return Page.read(place);
      }
      if (fetched.status() == 404 || fetched.status() == 410) {
        folder.drop(place);
        if (absent.size() > MAX_ABSENT) {
          absent.clear();
        }
        absent.add(wanted.key());
        return null;
      }
      if (fetched.status() != 200) {
        throw new IOException(host(wanted) + " answers with status " + fetched.status());
      }
      return store(wanted, fetched, place);
    }
  }

  private Fetcher.Fetched ask(Wanted wanted, @Nullable Page old) throws IOException {
    Map<String, String> headers = new HashMap<>(Map.of("Accept", wanted.accept()));
    if (old != null && old.about().etag() != null) {
      headers.put("If-None-Match", Objects.requireNonNull(old.about().etag()));
    } else if (old != null && old.about().modified() != null) {
      headers.put("If-Modified-Since", Objects.requireNonNull(old.about().modified()));
    }
    try {
      return fetcher.get(wanted.address(), headers);
    } catch (IOException e) {
      silent.put(host(wanted), Instant.now());
      throw e;
    }
  }

  private Page store(Wanted wanted, Fetcher.Fetched fetched, Path place) throws IOException {
    Path files = folder.begin();
    Path body = folder.begin();
    Path whole = folder.begin();
    try {
      String type = translate(wanted, fetched, files, body);
      Page.About about =
          new Page.About(
              fetched.address().toString(),
              type,
              fetched.etag(),
              fetched.modified(),
              Files.size(files));
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(whole))) {
        Page.write(about, files, body, out);
      }
      folder.keep(whole, place);
    } finally {
      Files.deleteIfExists(files);
      Files.deleteIfExists(body);
      Files.deleteIfExists(whole);
    }
    Page kept = Page.read(place);
    if (kept == null) {
      throw new IOException("the package cache has no room for a page of an index");
    }
    return kept;
  }

  private String translate(Wanted wanted, Fetcher.Fetched fetched, Path files, Path body)
      throws IOException {
    try (OutputStream list = new BufferedOutputStream(Files.newOutputStream(files));
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(body))) {
      Fetcher.Fetched bounded =
          new Fetcher.Fetched(
              fetched.address(),
              fetched.status(),
              fetched.type(),
              fetched.etag(),
              fetched.modified(),
              fetched.length(),
              new BoundedStream(
                  fetched.body(), MAX_PAGE, "a page of the registry", counts::fetched));
      return wanted
          .translation()
          .translate(
              bounded,
              out,
              file -> {
                list.write(
                    Json.lenient().writeValueAsString(file).getBytes(StandardCharsets.UTF_8));
                list.write('\n');
              });
    } catch (tools.jackson.core.JacksonException e) {
      throw new IOException(host(wanted) + " has sent a page that cannot be read", e);
    }
  }
}
