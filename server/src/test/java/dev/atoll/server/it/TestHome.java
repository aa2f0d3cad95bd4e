package dev.atoll.server.it;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * The data directory of one server of the tests: new, and removed with it. Built templates are the
 * one thing that servers share, since each takes a minute; they stand beside the directories, which
 * have links to them.
 */
public final class TestHome {
  private static final String TEMPLATES = "templates";

  private TestHome() {}

  /** What stays between runs of the tests. */
  public static Path shared() throws IOException {
    String test = System.getenv("ATOLL_TEST_HOME");
    Path home = (test == null ? Path.of("target/it-home") : Path.of(test)).toAbsolutePath();
    return Files.createDirectories(home);
  }

  /** Makes one. Names are short, for they are part of addresses of sockets. */
  static Path create() throws IOException {
    Path home = Files.createDirectories(shared().resolve("servers")).resolve(name());
    Files.createDirectory(home);
    Files.createDirectory(home.resolve(TEMPLATES));
    link(home);
    return home;
  }

  /** Has a server find what others have built. */
  static void link(Path home) throws IOException {
    for (Path built : entries(Files.createDirectories(shared().resolve(TEMPLATES)))) {
      Path link = home.resolve(TEMPLATES).resolve(built.getFileName());
      if (isTemplate(built) && !Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(link, built);
      }
    }
  }

  /** Lets others find what a server has built, while it goes on with its own. */
  static void share(Path home) throws IOException, InterruptedException {
    try (Turn _ = Turn.of(TEMPLATES)) {
      for (Path built : entries(home.resolve(TEMPLATES))) {
        Path shared = shared().resolve(TEMPLATES).resolve(built.getFileName());
        if (isTemplate(built) && !Files.isSymbolicLink(built) && !Files.exists(shared)) {
          copy(built, shared);
        }
      }
    }
  }

  /** By hard links, and under its name when it is complete. */
  private static void copy(Path built, Path shared) throws IOException, InterruptedException {
    Path aside = Files.createTempDirectory(shared.getParent(), ".sharing-");
    Process copy =
        new ProcessBuilder("cp", "-al", built.toString(), aside.toString()).inheritIO().start();
    if (copy.waitFor() != 0) {
      throw new IOException("cannot link " + built);
    }
    Files.move(aside.resolve(built.getFileName()), shared);
    Files.delete(aside);
  }

  private static boolean isTemplate(Path built) {
    return !built.getFileName().toString().startsWith(".");
  }

  private static String name() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }

  /** Keeps what a server has built for the next ones, and removes the rest. */
  static void remove(Path home) throws IOException {
    try (Turn _ = Turn.of(TEMPLATES)) {
      for (Path built : entries(home.resolve(TEMPLATES))) {
        if (Files.isDirectory(built, LinkOption.NOFOLLOW_LINKS) && isTemplate(built)) {
          keep(built, shared().resolve(TEMPLATES).resolve(built.getFileName()));
        }
      }
    }
    Files.walkFileTree(home, new Removal());
  }

  private static void keep(Path built, Path shared) throws IOException {
    try {
      Files.move(built, shared);
    } catch (FileAlreadyExistsException e) {
      // Another server has built the same.
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  /** Removes a tree; links are removed, not followed. */
  private static final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException problem) throws IOException {
      if (problem != null) {
        throw problem;
      }
      Files.delete(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
