package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds on this host what a test of real machines needs. */
final class TestHost {
  private TestHost() {}

  /** Puts keeper, jailer and agent, which come on the class path, into a folder. */
  static void extractPrograms(Path folder) throws IOException {
    for (String name : List.of("atoll-keeper", "atoll-jailer", "atoll-agent")) {
      try (InputStream in = TestHost.class.getResourceAsStream("/dev/atoll/guest/" + name)) {
        if (in == null) {
          throw new IOException(name + " is not on the class path: build the module guest first");
        }
        Path file = folder.resolve(name);
        Files.copy(in, file);
        if (!file.toFile().setExecutable(true, false)) {
          throw new IOException("cannot make " + file + " executable");
        }
      }
    }
  }

  static GvisorConfig config(Path programs) {
    return GvisorConfig.of(
        runsc(),
        programs.resolve("atoll-keeper"),
        programs.resolve("atoll-jailer"),
        programs.resolve("atoll-agent"));
  }

  private static Path runsc() {
    List<Path> places = new ArrayList<>();
    @Nullable String named = System.getenv("ATOLL_RUNSC");
    if (named != null) {
      places.add(Path.of(named));
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      places.add(Path.of(folder, "runsc"));
    }
    String home = System.getenv().getOrDefault("ATOLL_HOME", "/var/lib/atoll");
    places.add(Path.of(home, "tools/runsc/usr/bin/runsc"));
    return places.stream()
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "these tests need runsc: install gVisor, or set ATOLL_RUNSC to its path"));
  }
}
