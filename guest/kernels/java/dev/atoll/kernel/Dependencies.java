package dev.atoll.kernel;

import java.nio.file.Path;
import java.util.List;

/** Finds libraries and all that they need to run. Kept apart from the kernel, whose class path has no library. */
public interface Dependencies {

  /**
   * All that is needed, in the order of a class path.
   *
   * @param coordinates as {@code //DEPS} has them
   */
  List<Library> resolve(List<String> coordinates) throws DependencyException;

  /** Gives up what is under way; may be called by another thread. */
  void stop();

  /**
   * A library that was found.
   *
   * @param name without its version
   */
  record Library(String name, String version, Path file) {
    @Override
    public String toString() {
      return name + ":" + version;
    }
  }
}
