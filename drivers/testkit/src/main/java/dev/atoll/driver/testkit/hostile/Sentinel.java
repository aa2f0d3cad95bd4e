package dev.atoll.driver.testkit.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A tree beside the one that is attacked, in which nothing may change. */
public final class Sentinel {
  private final Path folder;
  private final String before;

  private Sentinel(Path folder) throws IOException {
    this.folder = folder;
    this.before = state();
  }

  /** Stands in for a host: it has an {@code etc} of its own. */
  public static Sentinel make(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("etc/cron.d"));
    Files.writeString(folder.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
    Files.writeString(folder.resolve("etc/cron.d/job"), "of the host\n");
    Files.createSymbolicLink(folder.resolve("etc/link"), Path.of("passwd"));
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(f -> !Files.isSymbolicLink(f)).toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
      }
    }
    return new Sentinel(folder);
  }

  public void assertUntouched() throws IOException {
    assertThat(state()).isEqualTo(before);
  }

  private String state() throws IOException {
    TreeMap<String, String> state = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        String attributes =
            new TreeMap<>(
                    Files.readAttributes(
                        file,
                        "unix:mode,uid,gid,nlink,lastModifiedTime,ino",
                        LinkOption.NOFOLLOW_LINKS))
                .toString();
        boolean plain = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        state.put(file.toString(), attributes + (plain ? Files.readString(file) : ""));
      }
    }
    return state.toString();
  }
}
