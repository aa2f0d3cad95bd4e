package dev.atoll.engine.image;

import dev.atoll.engine.tree.LinkedCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Images that stay readable until this is closed, also those that are deleted or compacted
 * meanwhile. Not thread-safe.
 */
public final class HeldImages implements AutoCloseable {
  private final Layout layout;
  private final Catalog catalog;
  private final Reclaimer reclaimer;
  private final Map<String, Manifest> held = new HashMap<>();
  private final List<String> pinned = new ArrayList<>();

  HeldImages(Layout layout, Catalog catalog, Reclaimer reclaimer) {
    this.layout = layout;
    this.catalog = catalog;
    this.reclaimer = reclaimer;
    addNew();
  }

  /** Holds those too that have come since. */
  public void addNew() {
    synchronized (catalog) {
      catalog
          .snapshot()
          .forEach(
              (id, manifest) -> {
                if (held.putIfAbsent(id, manifest) == null) {
                  catalog.pin(manifest.units());
                  pinned.addAll(manifest.units());
                }
              });
    }
  }

  public Set<String> ids() {
    return Set.copyOf(held.keySet());
  }

  /** Makes a folder that an image store can be opened on, of links to the files of this one. */
  public void link(Path folder) throws IOException {
    Path manifests = Files.createDirectories(folder.resolve("manifests"));
    Files.createDirectories(folder.resolve(Units.WHOLE));
    Files.createDirectories(folder.resolve(Units.LAYERS));
    for (Map.Entry<String, Manifest> image : held.entrySet()) {
      Files.write(manifests.resolve(image.getKey()), ManifestCodec.encode(image.getValue()));
    }
    for (String unit : new HashSet<>(pinned)) {
      Path from = layout.unit(unit);
      if (Files.isDirectory(from)) {
        LinkedCopy.make(from, folder.resolve(unit));
      } else {
        Files.createLink(folder.resolve(unit), from);
      }
    }
  }

  @Override
  public void close() {
    reclaimer.release(pinned);
    pinned.clear();
  }
}
