package dev.atoll.engine.template;

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
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The archives of recipes, each kept unpacked in {@code archive-DIGEST/} beside the templates. What
 * is there has passed the check of its integrity; templates get hard links.
 */
final class Archives {
  private static final int NAME_LENGTH = 16;

  private final Path folder;

  Archives(Path folder) {
    this.folder = folder;
  }

  /** Adds an archive to a root file system. */
  void add(RecipeArchive archive, RootFileSystem root, Path aside, Consumer<String> progress)
      throws IOException {
    Path content = content(archive, aside, progress);
    Path target = root.folder(archive.to());
    HostCommand.run(List.of("cp", "-al", content + "/.", target + "/"), line -> {});
    for (Map.Entry<String, String> link : archive.links().entrySet()) {
      root.link(link.getKey(), link.getValue());
    }
  }

  private Path content(RecipeArchive archive, Path aside, Consumer<String> progress)
      throws IOException {
    byte[] digest = Base64.getDecoder().decode(archive.integrity().substring("sha512-".length()));
    String name = HexFormat.of().formatHex(digest).substring(0, NAME_LENGTH);
    Path content = folder.resolve("archive-" + name);
    if (Files.isDirectory(content)) {
      return content;
    }
    progress.accept("fetching " + archive.npm() + " " + archive.version());
    Path tarball = download(archive, Files.createDirectory(aside.resolve("archive-" + name)));
    if (!MessageDigest.isEqual(digest, sha512(tarball))) {
      throw failed(archive, "its content is not what the recipe's integrity says", null);
    }
    Path unpacked = Files.createDirectory(aside.resolve("unpacked-" + name));
    // Everything in a package is below one folder; owners are not taken over.
    HostCommand.run(
        List.of(
            "tar",
            "--extract",
            "--file=" + tarball,
            "--directory=" + unpacked,
            "--strip-components=1",
            "--no-same-owner",
            "--delay-directory-restore"),
        line -> {});
    HostCommand.run(List.of("chmod", "-R", "u+rwX,go+rX,go-w", unpacked.toString()), line -> {});
    return Files.move(unpacked, content, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * By the host's own npm, which knows the registry, the way to it and who may use it. No script of
   * the package runs.
   */
  private static Path download(RecipeArchive archive, Path to) throws IOException {
    try {
      HostCommand.run(
          List.of(
              "npm",
              "pack",
              "--silent",
              "--ignore-scripts",
              "--pack-destination=" + to,
              archive.npm() + "@" + archive.version()),
          line -> {});
    } catch (AtollException e) {
      throw failed(archive, String.valueOf(e.getMessage()), e);
    }
    try (Stream<Path> files = Files.list(to)) {
      return files
          .filter(file -> file.toString().endsWith(".tgz"))
          .findFirst()
          .orElseThrow(() -> failed(archive, "npm has brought no tarball", null));
    }
  }

  private static AtollException failed(
      RecipeArchive archive, String why, @org.jspecify.annotations.Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.TEMPLATE_BUILD_FAILED,
        "%s %s cannot be fetched: %s".formatted(archive.npm(), archive.version(), why),
        "the host needs npm (on Debian: apt install npm) and a way to its registry",
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
