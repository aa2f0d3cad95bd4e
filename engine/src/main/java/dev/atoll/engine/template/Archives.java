package dev.atoll.engine.template;

import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.tree.FileAttributes;
import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The archives of recipes, each kept unpacked in {@code archive-DIGEST/} beside the templates. What
 * is there has passed the check of its integrity; templates get hard links.
 */
final class Archives {
  private static final int NAME_LENGTH = 16;
  private static final long MOST_BYTES = 4L << 30;

  private final Path folder;
  private final Unpacker unpacker;

  Archives(Path folder, Unpacker unpacker) {
    this.folder = folder;
    this.unpacker = unpacker;
  }

  /** Adds an archive to a root file system. */
  void add(RecipeArchive archive, RootFileSystem root, Path aside, Consumer<String> progress)
      throws IOException {
    Path content = content(archive, aside, progress);
    root.add(content, archive.to(), archive.links());
  }

  private Path content(RecipeArchive archive, Path aside, Consumer<String> progress)
      throws IOException {
    byte[] digest = Base64.getDecoder().decode(archive.integrity().substring("sha512-".length()));
    String name = HexFormat.of().formatHex(digest).substring(0, NAME_LENGTH);
    Path content = folder.resolve("archive-" + name);
    if (Files.isDirectory(content)) {
      return content.toRealPath();
    }
    progress.accept("fetching " + archive.title());
    Path tarball = download(archive, Files.createDirectory(aside.resolve("archive-" + name)));
    if (!MessageDigest.isEqual(digest, sha512(tarball))) {
      throw failed(archive, "its content is not what the recipe's integrity says", null);
    }
    Path unpacked = Files.createDirectory(aside.resolve("unpacked-" + name));
    unpacker.run(
        unpacked,
        MOST_BYTES,
        List.of(new Unpacker.Step(Unpacker.Kind.ARCHIVE, tarball)),
        process -> {});
    // Everything in a package is below one folder.
    try (TreeDirectory tree = TreeDirectory.open(unpacked)) {
      List<String> names = tree.names();
      TreeDirectory only = names.size() == 1 ? tree.directory(names.getFirst()) : null;
      if (only == null) {
        throw failed(archive, "it has more than one folder, or none", null);
      }
      try (only) {
        give(only);
      }
      return Files.move(
          unpacked.resolve(names.getFirst()), content, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Owners are not taken over, and all can be read and nothing written by everybody. */
  private static void give(TreeDirectory directory) throws IOException {
    for (String name : directory.names()) {
      FileStatus status = directory.status(name);
      if (status != null && status.isFile()) {
        directory.setOfFile(name, given(status));
      } else if (status != null && status.isLink()) {
        directory.setOfLink(name, given(status));
      }
      try (TreeDirectory child = directory.directory(name)) {
        if (child != null) {
          give(child);
        }
      }
    }
    directory.set(given(directory.status()));
  }

  private static FileAttributes given(FileStatus status) {
    boolean program = status.isDirectory() || (status.mode() & 0111) != 0;
    return new FileAttributes(program ? 0755 : 0644, 0, 0, status.modified());
  }

  /**
   * By the host's own npm or Maven, which knows the registry, the way to it and who may use it. No
   * script of the package runs.
   */
  private static Path download(RecipeArchive archive, Path to) throws IOException {
    try {
      HostCommand.run(archive.npm() == null ? byMaven(archive, to) : byNpm(archive, to), _ -> {});
    } catch (AtollException e) {
      throw failed(archive, String.valueOf(e.getMessage()), e);
    }
    try (Stream<Path> files = Files.list(to)) {
      return files
          .findFirst()
          .orElseThrow(() -> failed(archive, "the host's manager has brought nothing", null));
    }
  }

  private static List<String> byNpm(RecipeArchive archive, Path to) {
    return List.of(
        "npm",
        "pack",
        "--silent",
        "--ignore-scripts",
        "--pack-destination=" + to,
        archive.npm() + "@" + archive.version());
  }

  /** By the plugin that fetches the Maven of the build too. */
  private static List<String> byMaven(RecipeArchive archive, Path to) {
    String[] name = Objects.requireNonNull(archive.maven()).split(":", -1);
    // Elsewhere than in a project, whose own settings would count.
    return List.of(
        "env",
        "-C",
        to.toString(),
        "mvn",
        "--batch-mode",
        "--quiet",
        "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy",
        "-Dartifact=%s:%s:%s:%s:%s"
            .formatted(name[0], name[1], archive.version(), name[2], name[3]),
        "-DoutputDirectory=" + to);
  }

  private static AtollException failed(
      RecipeArchive archive, String why, @Nullable Throwable cause) {
    String tool = archive.npm() == null ? "Maven" : "npm";
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "%s cannot be fetched: %s".formatted(archive.title(), why),
        "the host needs %s (on Debian: apt install %s) and a way to its registry"
            .formatted(tool, tool.toLowerCase(Locale.ROOT)),
        Map.of(),
        cause);
  }

  private static byte[] sha512(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        DigestInputStream digesting =
            new DigestInputStream(in, MessageDigest.getInstance("SHA-512"))) {
      digesting.transferTo(java.io.OutputStream.nullOutputStream());
      return digesting.getMessageDigest().digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-512", e);
    }
  }
}
