package dev.atoll.engine.image;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Images as directories to restore from: finds them, assembles those that are missing, drops those
 * that were not used for longest. The time of last use is the directory's own, so that it survives
 * the server.
 */
final class ReadyCopies {
  private static final Logger LOG = LoggerFactory.getLogger(ReadyCopies.class);

  private final Layout layout;
  private final Disk disk;
  private final Catalog catalog;
  private final Reclaimer reclaimer;

  /** By hash of the id: one image is assembled once, however many ask for it. */
  private final List<ReentrantLock> assemblies =
      Stream.generate(ReentrantLock::new).limit(64).toList();

  ReadyCopies(Layout layout, Disk disk, Catalog catalog, Reclaimer reclaimer) {
    this.layout = layout;
    this.disk = disk;
    this.catalog = catalog;
    this.reclaimer = reclaimer;
  }

  /** Finds what is on disk for the images of the catalog. */
  void load() {
    for (Map.Entry<String, Manifest> image : catalog.snapshot().entrySet()) {
      for (String unit : List.of(layout.copy(image.getKey()), Units.whole(image.getKey()))) {
        if (isComplete(layout.unit(unit), image.getValue())) {
          catalog.setReady(image.getKey(), unit);
        }
      }
    }
  }

  private static boolean isComplete(Path directory, Manifest manifest) {
    Map<String, Long> expected =
        manifest.files().stream().collect(Collectors.toMap(StoredFile::name, StoredFile::size));
    return Files.isDirectory(directory) && sizes(directory).equals(expected);
  }

  private static Map<String, Long> sizes(Path directory) {
    Map<String, Long> sizes = new TreeMap<>();
    for (Path file : Disk.list(directory)) {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        sizes.put(file.getFileName().toString(), Disk.unchecked(() -> Files.size(file)));
      }
    }
    return sizes;
  }

  Lease open(String id) {
    Lease lease = openReady(id);
    if (lease != null) {
      return lease;
    }
    ReentrantLock turn = assemblies.get(Math.floorMod(id.hashCode(), assemblies.size()));
    turn.lock();
    try {
      lease = openReady(id);
      return lease != null ? lease : assemble(id);
    } finally {
      turn.unlock();
    }
  }

  private @Nullable Lease openReady(String id) {
    String unit;
    synchronized (catalog) {
      find(id);
      unit = catalog.ready(id);
      if (unit == null) {
        return null;
      }
      catalog.pin(List.of(unit));
    }
    return lease(unit);
  }

  private Manifest find(String id) {
    Manifest manifest = catalog.find(id);
    if (manifest == null) {
      throw new AtollException(ErrorCode.NOT_FOUND, "there is no image " + id);
    }
    return manifest;
  }

  private Lease lease(String unit) {
    Path directory = layout.unit(unit);
    try {
      Files.setLastModifiedTime(directory, FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.debug("the last use of {} is not noted", unit, e);
    }
    return new Lease(directory, () -> reclaimer.release(List.of(unit)));
  }

  private Lease assemble(String id) {
    Manifest manifest;
    Set<String> used;
    synchronized (catalog) {
      manifest = find(id);
      used = manifest.units();
      catalog.pin(used);
    }
    String unit = layout.copy(id);
    Path target = layout.unit(unit);
    Path aside = Layout.unfinished(target);
    try {
      new Assembler(layout, disk).assemble(manifest, aside);
      reclaimer.collect(unit);
      synchronized (catalog) {
        find(id);
        disk.rename(aside, target);
        catalog.setReady(id, unit);
        catalog.pin(List.of(unit));
      }
      return lease(unit);
    } catch (RuntimeException e) {
      disk.deleteTree(aside);
      throw e;
    } finally {
      reclaimer.release(used);
    }
  }

  /** Drops spare copies, the longest unused first, until the others fit. */
  void trim(long budget) {
    record Spare(String unit, long bytes, FileTime used) {}
    List<Spare> spares =
        catalog.spareCopies().stream()
            .map(unit -> new Spare(unit, bytes(unit), usedAt(unit)))
            .sorted(Comparator.comparing(Spare::used))
            .toList();
    long bytes = spares.stream().mapToLong(Spare::bytes).sum();
    for (Spare spare : spares) {
      if (bytes <= budget) {
        return;
      }
      if (reclaimer.drop(spare.unit())) {
        bytes -= spare.bytes();
      }
    }
  }

  private long bytes(String unit) {
    Manifest manifest = catalog.find(Units.image(unit));
    return manifest == null ? 0 : manifest.totalBytes();
  }

  /** A copy that is gone by now counts as the oldest; dropping it does nothing. */
  private FileTime usedAt(String unit) {
    try {
      return Files.getLastModifiedTime(layout.unit(unit));
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }
}
