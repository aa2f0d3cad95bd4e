package dev.atoll.engine.image;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints kept below a folder as layers that relatives share.
 *
 * <p>Thread-safe. One process at a time: the folder is this object's own. An id is never used again
 * after its image was deleted, and is refused while anything of the old image is still there.
 * Failures of the disk are {@link java.io.UncheckedIOException}s; a missing image is an {@link
 * AtollException} with {@link ErrorCode#NOT_FOUND}.
 */
public final class ImageStore {
  private static final Logger LOG = LoggerFactory.getLogger(ImageStore.class);

  private final Layout layout;
  private final Disk disk;
  private final long hotBytes;
  private final Catalog catalog = new Catalog();
  private final Register register;
  private final Reclaimer reclaimer;
  private final Compactor compactor;
  private final ReadyCopies copies;
  private final TreeTargets targets;
  private final ImageLedger ledger;

  /**
   * Opens the store, creating what is missing.
   *
   * @param hotBytes how many bytes of copies that could be assembled again {@link #trim} leaves
   * @param unpacker of root file systems that come with images
   * @param ledger of the images that were begun here
   */
  public ImageStore(Path folder, long hotBytes, Unpacker unpacker, ImageLedger ledger) {
    this(folder, hotBytes, new Disk(), unpacker::tree, ledger);
  }

  /** Takes all images for its own. */
  public ImageStore(Path folder, long hotBytes, Unpacker unpacker) {
    this(folder, hotBytes, new Disk(), unpacker::tree, null);
  }

  /** Unpacks trees in this process. */
  ImageStore(Path folder, long hotBytes) {
    this(folder, hotBytes, new Disk());
  }

  ImageStore(Path folder, long hotBytes, Disk disk) {
    this(folder, hotBytes, disk, TreeUnpack::new, null);
  }

  private ImageStore(
      Path folder, long hotBytes, Disk disk, TreeTargets targets, @Nullable ImageLedger ledger) {
    this.ledger = ledger == null ? new OwnImages() : ledger;
    this.targets = targets;
    this.layout = new Layout(folder.toAbsolutePath());
    this.disk = disk;
    this.hotBytes = hotBytes;
    this.register = new Register(layout, disk, catalog);
    this.reclaimer = new Reclaimer(layout, disk, catalog, register);
    this.compactor = new Compactor(layout, disk, catalog, register, reclaimer);
    this.copies = new ReadyCopies(layout, disk, catalog, reclaimer);
    disk.makeFolder(layout.manifests());
    disk.makeFolder(layout.whole());
    disk.makeFolder(layout.layers());
    disk.makeFolder(layout.copiesOfThisBoot());
    disk.sync(layout.folder());
    register.load();
    copies.load();
  }

  /** Where a driver writes the checkpoint of the image to be; the folder above is there. */
  public Path aside(String id) {
    Path aside = layout.aside(Units.checkName(id));
    disk.makeFolder(aside);
    return aside.resolve("checkpoint");
  }

  /** Removes what is at {@link #aside} of an image that was not added. */
  public void discard(String id) {
    disk.deleteTree(layout.aside(Units.checkName(id)));
  }

  /**
   * Takes what is at {@link #aside} in, by a rename. The driver has synced the files already. When
   * this returns the image exists, power failure or not; until then, and if it throws, it does not.
   *
   * @param parent the image it was made from, whose pages {@link #compact} will look for; one that
   *     is gone counts as none
   */
  public ImageSize add(String id, @Nullable String parent) {
    Path checkpoint = layout.aside(Units.checkName(id)).resolve("checkpoint");
    String unit = Units.whole(id);
    Manifest manifest = describe(checkpoint, unit, parent);
    synchronized (catalog) {
      if (isTaken(id)) {
        throw new AtollException(
            ErrorCode.CONFLICT, "there is or was an image " + id, "choose another id");
      }
      catalog.pin(List.of(unit));
    }
    try {
      ledger.begun(id);
      disk.sync(checkpoint);
      disk.rename(checkpoint, layout.unit(unit));
      disk.sync(layout.whole());
      register.add(id, manifest, unit);
    } finally {
      reclaimer.release(List.of(unit));
    }
    disk.deleteTree(layout.aside(id));
    return new ImageSize(manifest.totalBytes(), manifest.totalBytes());
  }

  /**
   * Removes whatever there is of an image that should not have come to be. What cannot be removed
   * now is swept at the next start, so that the failure that led here is the one that is told.
   */
  public void undo(String id) {
    try {
      delete(id);
      discard(id);
    } catch (UncheckedIOException e) {
      LOG.warn("image {} is undone at the next start: {}", id, e.toString());
    }
  }

  private boolean isTaken(String id) {
    return catalog.find(id) != null
        || register.damaged().contains(id)
        || List.of(Units.whole(id), Units.layer(id), layout.copy(id)).stream()
            .anyMatch(unit -> catalog.isPinned(unit) || Files.exists(layout.unit(unit)));
  }

  private Manifest describe(Path checkpoint, String unit, @Nullable String parent) {
    if (!Files.isDirectory(checkpoint, LinkOption.NOFOLLOW_LINKS)) {
      throw new IllegalStateException("there is no checkpoint at " + checkpoint);
    }
    List<StoredFile> files = new ArrayList<>();
    for (Path file : Disk.list(checkpoint)) {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new IllegalStateException("not a regular file: " + file);
      }
      long size = Disk.unchecked(() -> Files.size(file));
      files.add(StoredFile.whole(unit, file.getFileName().toString(), size));
    }
    List<String> ancestors = new ArrayList<>();
    Manifest parentManifest = parent == null ? null : catalog.find(parent);
    if (parent != null && parentManifest != null) {
      ancestors.add(parent);
      ancestors.addAll(parentManifest.ancestors());
    }
    return new Manifest(ancestors.isEmpty(), ancestors, files);
  }

  /**
   * Opens an image for a restore: at once if a copy is ready, otherwise after assembling one. A
   * lease keeps its directory usable even if the image is deleted.
   */
  public Lease open(String id) {
    return copies.open(id);
  }

  /** Keeps all images of this moment readable, whatever is done with them. */
  public HeldImages hold() {
    return new HeldImages(layout, catalog, reclaimer);
  }

  /** A short file of an image as text; empty when it has none of that name. */
  public Optional<String> text(String id, String name) {
    Set<String> units;
    Manifest manifest;
    synchronized (catalog) {
      manifest = catalog.find(id);
      if (manifest == null) {
        return Optional.empty();
      }
      units = manifest.units();
      catalog.pin(units);
    }
    try (Sources sources = new Sources(layout)) {
      return manifest.files().stream()
          .filter(file -> file.name().equals(name))
          .findFirst()
          .map(file -> sources.text(file));
    } finally {
      reclaimer.release(units);
    }
  }

  /**
   * What is wrong with the files that hold an image, as far as their sizes tell; empty when nothing
   * is. Names them by their place in this store, which strangers may know.
   */
  public Optional<String> damage(String id) {
    Manifest manifest = catalog.find(id);
    if (manifest == null) {
      return Optional.of("it is gone");
    }
    return manifest.files().stream()
        .flatMap(file -> file.extents().stream())
        .filter(extent -> !extent.isZeros())
        .flatMap(extent -> damage(extent).stream())
        .findFirst();
  }

  private Optional<String> damage(Extent extent) {
    Path source = layout.unit(extent.source());
    try {
      long size = Files.size(source);
      return size >= extent.end()
          ? Optional.empty()
          : Optional.of("%s has %d bytes and should have %d".formatted(source, size, extent.end()));
    } catch (IOException e) {
      return Optional.of(source + " is gone or cannot be read");
    }
  }

  /** All images there are. */
  public List<String> ids() {
    return catalog.ids();
  }

  public boolean exists(String id) {
    return catalog.find(id) != null;
  }

  public ImageSize size(String id) {
    Map<String, Manifest> manifests = catalog.snapshot();
    Manifest image = manifests.get(id);
    if (image == null) {
      throw new AtollException(ErrorCode.NOT_FOUND, "there is no image " + id);
    }
    Set<String> units = image.units();
    Coverage others = new Coverage();
    manifests.forEach(
        (other, manifest) -> {
          if (!other.equals(id) && manifest.units().stream().anyMatch(units::contains)) {
            others.add(manifest);
          }
        });
    return new ImageSize(image.totalBytes(), others.missing(image));
  }

  /**
   * What these images take together, each with what those before it do not have; one that is not
   * there is left out.
   */
  public Map<String, Long> sizes(List<String> ids) {
    Map<String, Manifest> manifests = catalog.snapshot();
    Map<String, Long> sizes = new HashMap<>();
    Coverage before = new Coverage();
    for (String id : ids) {
      Manifest image = manifests.get(id);
      if (image != null) {
        sizes.put(id, before.missing(image));
        before.add(image);
      }
    }
    return sizes;
  }

  /**
   * Makes the image not exist and frees what no other image refers to; does nothing if there is
   * none. Does not wait for leases: what they read is freed when the last one is closed.
   */
  public void delete(String id) {
    register.remove(id).forEach(reclaimer::collect);
  }

  /**
   * Turns an added image into a layer of its own pages and references to those of its ancestors,
   * unless hardly any are shared. Nothing changes for readers: the files stay as a ready copy until
   * {@link #trim} needs their room. Does nothing if there is nothing (any more) to do.
   *
   * <p>Reads the image and its parent; one compaction runs at a time. A compaction that is
   * interrupted by the end of the process leaves the image as it was.
   */
  public void compact(String id) {
    compactor.compact(id);
  }

  /** Drops the least recently used ready copies of compacted images until they fit the budget. */
  public void trim() {
    copies.trim(hotBytes);
  }

  /**
   * Removes everything unfinished, and every image that was begun here and is not known any more.
   * Images that were not begun here are left as they are. To be called once, before anything else
   * is done with this store.
   *
   * @return one line for each removed thing, and for each that is left
   */
  public List<String> sweep(Set<String> known) {
    return new Sweep(layout, disk, catalog, register, reclaimer).run(known, ledger.all());
  }

  /** For a store without a ledger: what is there was begun here. */
  private final class OwnImages implements ImageLedger {
    @Override
    public void begun(String id) {}

    @Override
    public Set<String> all() {
      Set<String> all = new HashSet<>(catalog.ids());
      all.addAll(register.damaged());
      return all;
    }
  }

  /**
   * Writes an image and the root file system it needs as one compressed stream, which is left open.
   *
   * @param description whatever the importer shall get back, at most a megabyte
   * @param files stand for the image where this server is not trusted; null for none
   * @param key signs all of it
   */
  public void write(
      String id,
      OutputStream out,
      byte[] description,
      @Nullable Path files,
      Path rootfs,
      ExportKey key)
      throws IOException {
    try (Lease lease = open(id)) {
      ArchiveWriter.write(out, description, lease.directory(), files, rootfs, key);
    }
  }

  /**
   * Adds an image from such a stream; when this returns, it is on disk for good. Whatever fails,
   * nothing is left.
   *
   * @param rootfsKnown whether the caller has the root file system of a fingerprint already
   * @param rootfsAside a path where nothing is; the root file system is unpacked there if it is not
   *     known. No other user of the host may reach it: it may hold programs with the set-user-id
   *     bit.
   * @param trusted whether the image of a server with that public key is taken as it is. That of
   *     another one is replaced by the files that stand for it, if there are some; else it is added
   *     all the same, and the caller must see that nothing reads it that strangers must not write
   *     for
   * @throws AtollException {@link ErrorCode#INVALID_ARGUMENT} if the stream is not what {@link
   *     #write} makes, {@link ErrorCode#CONFLICT} if the id is taken
   * @throws IOException if the stream or the disk fails
   */
  public Imported read(
      String id,
      InputStream in,
      Predicate<String> rootfsKnown,
      Path rootfsAside,
      Predicate<String> trusted)
      throws IOException {
    return new ImageImport(this, disk, targets, layout.aside(Units.checkName(id)), rootfsAside)
        .run(id, in, rootfsKnown, trusted);
  }

  /**
   * What came with an imported image.
   *
   * @param whole whether a server that is trusted has signed it
   * @param standIn whether it came with files that stand for the image; they have become the image
   *     unless it is whole
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Imported(
      byte[] description, String rootfsFingerprint, boolean whole, boolean standIn) {}

  /** See {@link Fingerprint}. */
  public static String fingerprint(Path rootfs) throws IOException {
    return Fingerprint.of(rootfs);
  }
}
