package dev.atoll.engine.image;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** A small root file system with everything in it that is easily lost. */
final class RootFileSystems {
  private static final FileTime TIME =
      FileTime.from(Instant.parse("2024-02-03T04:05:06.123456789Z"));

  private RootFileSystems() {}

  static Path create(Path root) throws IOException {
    Files.createDirectories(root.resolve("usr/bin"));
    Files.createDirectories(root.resolve("proc"));
    Path python = Files.writeString(root.resolve("usr/bin/python"), "python\n".repeat(1000));
    Files.setAttribute(python, "unix:mode", 04755);
    Files.createLink(root.resolve("usr/bin/python3"), python);
    Files.createFile(root.resolve("usr/empty"));
    Files.writeString(
        Path.of(URI.create(root.toUri() + "usr/F%C5%91tan%FF%20%25.crt")), "certificate");
    Files.createSymbolicLink(root.resolve("bin"), Path.of("usr/bin"));
    Files.createSymbolicLink(root.resolve("usr/up"), Path.of("../../../nowhere"));
    Files.createSymbolicLink(root.resolve("usr/absolute"), Path.of("/nowhere/at/all"));
    run("mkfifo", root.resolve("usr/pipe").toString());
    for (String name : new String[] {"usr/bin/python", "usr/up", "usr/bin", "usr", "proc"}) {
      Files.getFileAttributeView(
              root.resolve(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
          .setTimes(TIME, null, null);
    }
    Files.setAttribute(root.resolve("proc"), "unix:mode", 0555);
    return root;
  }

  private static void run(String... command) throws IOException {
    try {
      if (new ProcessBuilder(command).start().waitFor() != 0) {
        throw new IOException(String.join(" ", command));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Path to everything that the host can tell about it, by other means than the code tested. */
  static Map<String, String> describe(Path root) throws IOException {
    Map<String, String> lines = new TreeMap<>();
    Process find =
        new ProcessBuilder("find", root.toString(), "-printf", "%P\\t%y %m %U:%G %T@ %l %n\\n")
            .start();
    for (String line : find.inputReader(StandardCharsets.ISO_8859_1).lines().toList()) {
      String[] parts = line.split("\t", 2);
      lines.put(parts[0], parts[1]);
    }
    lines.values().removeIf(line -> line.startsWith("p "));
    return lines;
  }
}
