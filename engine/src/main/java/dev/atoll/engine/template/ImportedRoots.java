package dev.atoll.engine.template;

import dev.atoll.engine.image.ImageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Root file systems by what is in them. One that came with a snapshot from another host lies beside
 * the built ones, under a digest that begins with {@code imported-}.
 */
public final class ImportedRoots {
  private static final String PREFIX = "imported-";

  /** All that is known of how one is booted; the rest is in its own files. */
  private static final String RECIPE = "{name: imported, suite: none}";

  private final Path folder;

  public ImportedRoots(Path folder) {
    this.folder = folder;
  }

  /** Whether a digest is that of one that came with a snapshot. */
  public static boolean isImported(String digest) {
    return digest.startsWith(PREFIX);
  }

  /** How to boot one that is there. */
  public static BuildPlan plan(String digest) {
    Recipe recipe = RecipeReader.read(digest, RECIPE.getBytes(StandardCharsets.UTF_8));
    BuildPlan.Ground ground = new BuildPlan.Ground(digest + "/rootfs", digest, null);
    return new BuildPlan(recipe, ground, List.of(), digest, digest);
  }

  /** All that came with snapshots. */
  public List<String> digests() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(ImportedRoots::isImported)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes one out of sight, in one step; where it is now, to be deleted. */
  public Path takeOut(String digest) {
    Path aside = aside();
    try {
      Files.move(folder.resolve(digest), aside.resolve("home"), StandardCopyOption.ATOMIC_MOVE);
      return aside;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A folder for one in the making; removed at the next start if it is left behind. */
  public Path aside() {
    try {
      Files.createDirectories(folder);
      return Files.createTempDirectory(folder, ".building-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The digest of a root file system with that content, if there is one here. */
  public Optional<String> withFingerprint(String fingerprint) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        boolean complete = !entry.getFileName().toString().startsWith(".");
        if (complete
            && Files.isDirectory(entry.resolve("rootfs"))
            && fingerprint(entry).equals(fingerprint)) {
          return Optional.of(entry.getFileName().toString());
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes in an unpacked root file system, unless one with its content is here; its digest. */
  public String install(String fingerprint, Path rootfs) throws IOException {
    Optional<String> known = withFingerprint(fingerprint);
    if (known.isPresent()) {
      return known.get();
    }
    String digest = PREFIX + fingerprint;
    Path home = rootfs.resolveSibling("home");
    Files.createDirectory(home);
    Files.move(rootfs, home.resolve("rootfs"), StandardCopyOption.ATOMIC_MOVE);
    Files.writeString(home.resolve("fingerprint"), fingerprint);
    Files.move(home, folder.resolve(digest), StandardCopyOption.ATOMIC_MOVE);
    return digest;
  }

  /** Looking at every file takes a while and a root file system never changes: it is noted. */
  private static String fingerprint(Path entry) throws IOException {
    Path note = entry.resolve("fingerprint");
    if (Files.exists(note)) {
      return Files.readString(note).strip();
    }
    String fingerprint = ImageStore.fingerprint(entry.resolve("rootfs"));
    Path aside = Files.createTempFile(entry, ".fingerprint", "");
    Files.writeString(aside, fingerprint);
    Files.move(aside, note, StandardCopyOption.ATOMIC_MOVE);
    return fingerprint;
  }
}
