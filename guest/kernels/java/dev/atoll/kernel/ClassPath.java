package dev.atoll.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What the code of a context finds besides the JDK. It only grows: what JShell has, it keeps, and a
 * class that was loaded is not loaded again. {@link #stop} may be called while something is added.
 */
final class ClassPath {
  private final Consumer<String> target;
  private final Set<String> asked = new LinkedHashSet<>();
  private final Map<String, Dependencies.Library> libraries = new LinkedHashMap<>();
  private final Set<Path> places = new LinkedHashSet<>();
  private volatile Dependencies resolving;

  /** Adds to what takes places as a class path has them. */
  ClassPath(Consumer<String> target) {
    this.target = target;
  }

  /** Prints the class path that a file of Java asks for, for those who run it. */
  public static void main(String[] arguments) throws IOException {
    List<String> found = new ArrayList<>();
    try {
      new ClassPath(found::add).add(Preamble.of(Files.readString(Path.of(arguments[0]))));
      System.out.println(String.join(":", found));
    } catch (DependencyException e) {
      System.err.println(e);
      System.exit(1);
    }
  }

  /** Adds what is asked for and not there yet. */
  void add(Preamble preamble) throws DependencyException {
    List<Path> more = new ArrayList<>();
    if (!asked.containsAll(preamble.libraries())) {
      for (String library : preamble.libraries()) {
        checkVersion(library);
      }
      Set<String> all = new LinkedHashSet<>(asked);
      all.addAll(preamble.libraries());
      more.addAll(notThere(resolve(List.copyOf(all))));
      asked.addAll(preamble.libraries());
    }
    preamble.places().stream().filter(places::add).forEach(more::add);
    if (!more.isEmpty()) {
      target.accept(more.stream().map(Path::toString).collect(Collectors.joining(":")));
    }
  }

  private List<Dependencies.Library> resolve(List<String> coordinates) throws DependencyException {
    try (MavenHome.Opened maven = MavenHome.find().open()) {
      resolving = maven.dependencies();
      return resolving.resolve(coordinates);
    } catch (RuntimeException | LinkageError e) {
      // Not the end of the kernel, whatever somebody's project description holds.
      throw new DependencyException(
          "package_failed", String.join(", ", coordinates) + " cannot be resolved: " + e);
    } finally {
      resolving = null;
    }
  }

  private void checkVersion(String coordinate) throws DependencyException {
    String[] parts = coordinate.split("[:@]");
    Dependencies.Library there =
        parts.length < 3 ? null : libraries.get(parts[0] + ":" + parts[1]);
    if (there != null && !there.version().equals(parts[2])) {
      throw new DependencyException(
          "package_conflict",
          "%s is on the class path of this context and stays there; use another context for %s"
              .formatted(there, coordinate));
    }
  }

  /** Of two versions that which was first stays. */
  private List<Path> notThere(List<Dependencies.Library> found) {
    List<Path> more = new ArrayList<>();
    for (Dependencies.Library library : found) {
      Dependencies.Library there = libraries.putIfAbsent(library.name(), library);
      if (there == null) {
        more.add(library.file());
      } else if (!there.version().equals(library.version())) {
        System.err.printf(
            "%s stays on the class path; %s is meant now, and another context would get it%n",
            there, library);
      }
    }
    return more;
  }

  /** Gives up what is being looked for. */
  void stop() {
    Dependencies now = resolving;
    if (now != null) {
      now.stop();
    }
  }
}
