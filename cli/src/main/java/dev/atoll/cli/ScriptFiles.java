package dev.atoll.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A script and what it may import: the files of its language beside it and below. A folder that
 * holds more of them than a small program has is not sent, and that is said.
 */
final class ScriptFiles {
  static final int MOST_FILES = 300;
  static final long MOST_BYTES = 8 << 20;

  /** Looked at before it is clear that the folder is no program, such as the whole home. */
  private static final int MOST_ENTRIES = 5000;

  private static final int DEPTH = 5;
  private static final Set<String> FOREIGN = Set.of("node_modules", "__pycache__", "venv");
  private static final Map<String, Set<String>> ENDINGS =
      Map.of(
          "python", Set.of("py"),
          "javascript", Set.of("js", "mjs", "cjs", "json"),
          "typescript", Set.of("ts", "mts", "js", "mjs", "cjs", "json"),
          "bash", Set.of("sh", "bash"),
          "java", Set.of("java"));

  private final Path script;
  private final SortedMap<String, byte[]> contents = new TreeMap<>();
  private boolean tooMany;

  private ScriptFiles(Path script) {
    this.script = script;
  }

  /** Reads them all. */
  static ScriptFiles read(Path script, String language) {
    ScriptFiles files = new ScriptFiles(script.toAbsolutePath().normalize());
    try {
      byte[] main = Files.readAllBytes(script);
      files.search(ENDINGS.getOrDefault(language, Set.of()));
      if (files.tooMany) {
        files.contents.clear();
      }
      files.contents.put(files.name(), main);
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void search(Set<String> endings) throws IOException {
    Path folder = folder();
    Files.walkFileTree(
        folder,
        EnumSet.noneOf(FileVisitOption.class),
        DEPTH,
        new SimpleFileVisitor<>() {
          private int entries;
          private long bytes;

          @Override
          public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) {
            String name = String.valueOf(found.getFileName());
            boolean other = FOREIGN.contains(name) || name.startsWith(".") || isEnvironment(found);
            return found.equals(folder) || !other
                ? FileVisitResult.CONTINUE
                : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path found, BasicFileAttributes attributes)
              throws IOException {
            tooMany |= ++entries > MOST_ENTRIES;
            if (!tooMany && attributes.isRegularFile() && endings.contains(ending(found))) {
              bytes += attributes.size();
              tooMany |= contents.size() >= MOST_FILES || bytes > MOST_BYTES;
              if (!tooMany) {
                contents.put(folder.relativize(found).toString(), Files.readAllBytes(found));
              }
            }
            return tooMany ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path found, IOException reason) {
            return FileVisitResult.CONTINUE; // What cannot be read is nothing that it imports.
          }
        });
  }

  private static boolean isEnvironment(Path folder) {
    return Files.exists(folder.resolve("pyvenv.cfg"));
  }

  private static String ending(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.startsWith(".") ? "" : name.substring(name.lastIndexOf('.') + 1);
  }

  private Path folder() {
    Path parent = script.getParent();
    return parent == null ? script : parent;
  }

  /** Of the script itself. */
  String name() {
    return String.valueOf(script.getFileName());
  }

  /** Path below the script's folder to content, the script among them. */
  SortedMap<String, byte[]> contents() {
    return contents;
  }

  /** Whether there are files beside it that were not taken. */
  boolean tooMany() {
    return tooMany;
  }

  /** Tells versions apart, so that no run finds another one's files. */
  String digest() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      contents.forEach(
          (name, content) -> {
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(content);
          });
      return HexFormat.of().formatHex(digest.digest(), 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
