package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runsc that new machines run with, and earlier ones for the states that only they can read.
 *
 * <p>Each is kept as {@code VERSION/runsc} in a folder of the server's own. So a machine goes on
 * with the program that it was started with, whatever happens to the configured path. Safe for use
 * by many threads.
 */
final class RunscVersions {
  private static final Logger log = LoggerFactory.getLogger(RunscVersions.class);

  /** What may be the name of a folder; a version may come from an image that a stranger wrote. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.~+_-]{0,99}");

  private static final String PROGRAM = "runsc";
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> EXECUTABLE =
      PosixFilePermissions.fromString("r-xr-xr-x");
  private static final Set<PosixFilePermission> WRITE =
      Set.of(
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_WRITE);

  private final Path configured;
  private final @Nullable Path folder;
  private final Duration timeout;
  private @Nullable RunscProgram current;

  RunscVersions(GvisorConfig config) {
    this.configured = config.runsc();
    this.folder = config.versions();
    this.timeout = config.commandTimeout();
  }

  /** The one for new machines. */
  synchronized RunscProgram current() {
    RunscProgram known = current;
    if (known != null && Files.isExecutable(known.path())) {
      return known;
    }
    // Not looked for yet, or gone under the server; the configured one may still be there.
    current = null;
    Optional<String> version = RunscVersion.of(configured, timeout).map(RunscVersion::text);
    if (version.isEmpty()) {
      return new RunscProgram("unknown", configured);
    }
    known = new RunscProgram(version.get(), keep(version.get()));
    if (!known.path().equals(configured)) {
      known = opened(known);
    }
    current = known;
    return known;
  }

  /** The one that a machine of that version runs with, whether it is still there or not. */
  RunscProgram of(String version) {
    return find(version)
        .orElseGet(
            () -> new RunscProgram(version, place(version).orElseGet(() -> current().path())));
  }

  private Optional<RunscProgram> find(String version) {
    RunscProgram now = current();
    if (now.version().equals(version)) {
      return Optional.of(now);
    }
    return place(version)
        .filter(Files::isExecutable)
        .map(path -> new RunscProgram(version, path))
        .filter(this::isWhatItSays)
        .map(RunscVersions::opened);
  }

  /** Machines are not root: whoever put it there may have left it for its owner alone. */
  private static RunscProgram opened(RunscProgram program) {
    try {
      if (!Files.getPosixFilePermissions(program.path()).containsAll(EXECUTABLE)) {
        Files.setPosixFilePermissions(program.path(), EXECUTABLE);
      }
    } catch (IOException e) {
      log.warn("{} cannot be opened for machines: {}", program.path(), e.toString());
    }
    return program;
  }

  private boolean isWhatItSays(RunscProgram program) {
    return RunscVersion.of(program.path(), timeout)
        .filter(version -> version.text().equals(program.version()))
        .isPresent();
  }

  /** The one that has written a state, and that alone can read it. */
  RunscProgram require(String version) {
    return find(version).orElseThrow(() -> missing(version));
  }

  private AtollException missing(String version) {
    return new AtollException(
        ErrorCode.SNAPSHOT_INCOMPATIBLE,
        "the state was written by runsc %s and this host has %s"
            .formatted(version, current().version()),
        place(version)
            .map(path -> "put a runsc of that version at " + path + " and try again")
            .orElse("set gvisor.runsc to a runsc of that version to use it once more"),
        Map.of("driver", "gvisor", "driverVersion", version),
        null);
  }

  private Optional<Path> place(String version) {
    Path home = folder;
    return home == null || !NAME.matcher(version).matches()
        ? Optional.empty()
        : Optional.of(home.resolve(version).resolve(PROGRAM));
  }

  /** Where the configured one is kept; itself when that cannot be. */
  private Path keep(String version) {
    Optional<Path> place = place(version);
    if (place.isEmpty()) {
      return configured;
    }
    try {
      Path source = configured.toRealPath();
      if (!Files.exists(place.get()) || Files.mismatch(source, place.get()) >= 0) {
        install(source, place.get());
      }
      return place.get();
    } catch (IOException e) {
      log.warn("runsc {} cannot be kept, so its states need {}: {}", version, configured, e);
      return configured;
    }
  }

  /**
   * By a rename, so that it is complete when it can be seen. A file that nobody is meant to write
   * is shared; any other may change under its name, and is copied.
   */
  private static void install(Path source, Path place) throws IOException {
    Path home = Objects.requireNonNull(place.getParent());
    Files.createDirectories(home);
    Files.setPosixFilePermissions(Objects.requireNonNull(home.getParent()), FOLDER);
    Files.setPosixFilePermissions(home, FOLDER);
    Path aside = home.resolve("." + UUID.randomUUID());
    try {
      if (!shared(source, aside)) {
        Files.copy(source, aside);
        Files.setPosixFilePermissions(aside, EXECUTABLE);
      }
      Files.move(aside, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  private static boolean shared(Path source, Path link) {
    try {
      if (Files.getPosixFilePermissions(source).stream().anyMatch(WRITE::contains)) {
        return false;
      }
      Files.createLink(link, source);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false; // another file system
    }
  }

  /** The versions that are kept besides the one for new machines. */
  List<String> earlier() throws IOException {
    List<String> versions = new ArrayList<>();
    Path home = folder;
    if (home != null && Files.isDirectory(home)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(home)) {
        for (Path entry : entries) {
          versions.add(String.valueOf(entry.getFileName()));
        }
      }
    }
    versions.remove(current().version());
    return versions;
  }

  /** Removes those that are not needed; one line each. */
  List<String> retire(Set<String> needed) throws IOException {
    List<String> removed = new ArrayList<>();
    for (String version : earlier()) {
      if (!needed.contains(version) && !current().version().equals("unknown")) {
        Path home = Objects.requireNonNull(folder).resolve(version);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(home)) {
          for (Path file : files) {
            Files.delete(file);
          }
        }
        Files.delete(home);
        removed.add("runsc " + version + ", which nothing needs any more");
      }
    }
    return removed;
  }
}
