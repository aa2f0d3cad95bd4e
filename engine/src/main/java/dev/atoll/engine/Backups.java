package dev.atoll.engine;

import dev.atoll.engine.image.HeldImages;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.image.TreeArchive;
import dev.atoll.engine.store.Store;
import dev.atoll.engine.tree.LinkedCopy;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes all that a server keeps as one file while it goes on: database, images, templates, keys.
 * What is in memory alone, the sandboxes that run, is not in it.
 *
 * <p>A copy is laid out beside the data first, of links where the files are never written to again,
 * and then written at the caller's pace. Images stay until the copy is made, whoever deletes them;
 * the database is copied in one transaction, and again if it speaks of an image that came and went
 * before it was held.
 */
public final class Backups {
  private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
  private static final String ASIDE = ".backup-";
  private static final int MOST_COPIES = 20;

  /** Files, if they are there. Small, and replaced by others under the same name. */
  private static final List<String> FILES =
      List.of(
          "data-directory.id",
          "secrets.key",
          "snapshots.key",
          "snapshots.pub",
          "urls.key",
          "admin.key",
          "atoll.yaml");

  /** Folders of what is complete when it gets its name, and is never written to afterwards. */
  private static final List<String> FOLDERS = List.of("templates", "runsc", "trusted-servers");

  private final Path data;
  private final Store store;
  private final ImageStore images;

  Backups(Path data, Store store, ImageStore images) {
    this.data = data;
    this.store = store;
    this.images = images;
    sweep();
  }

  private void sweep() {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(data, ASIDE + "*")) {
      left.forEach(Trees::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a backup of this moment; the stream is left open. */
  public void write(OutputStream out) {
    Path aside = data.resolve(ASIDE + Tokens.hex(8));
    long begun = System.nanoTime();
    try (HeldImages held = images.hold()) {
      Files.createDirectory(aside);
      copyDatabase(aside, held);
      held.link(aside.resolve("snapshots"));
      for (String name : FILES) {
        if (Files.isRegularFile(data.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
          Files.copy(data.resolve(name), aside.resolve(name));
        }
      }
      for (String name : FOLDERS) {
        linkFolder(data.resolve(name), aside.resolve(name));
      }
      TreeArchive.write(aside, out);
      LOG.info("backup written after {} ms", (System.nanoTime() - begun) / 1_000_000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Trees.delete(aside);
    }
  }

  private void copyDatabase(Path aside, HeldImages held) throws IOException {
    Path copy = aside.resolve("atoll.db");
    for (int i = 0; i < MOST_COPIES; i++) {
      Files.deleteIfExists(copy);
      List<String> images = store.copyTo(copy);
      held.addNew();
      if (held.ids().containsAll(images)) {
        return;
      }
    }
    throw new AtollException(
        ErrorCode.CONFLICT,
        "sandboxes and snapshots come and go too fast for a backup",
        "try again in a moment");
  }

  /** What is being made has a name with a dot; what is removed meanwhile need not be there. */
  private static void linkFolder(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.createDirectory(to);
    Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        Path target = to.resolve(entry.getFileName());
        if (entry.getFileName().toString().startsWith(".")) {
          continue;
        }
        try {
          if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
            LinkedCopy.make(entry, target);
          } else {
            Files.createLink(target, entry);
          }
        } catch (IOException e) {
          if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
            throw e;
          }
          LOG.debug("{} went while it was copied", entry);
          Trees.delete(target);
        }
      }
    }
  }
}
