package dev.atoll.engine.image;

import java.net.URI;
import java.nio.file.Path;

/**
 * Names of files as ASCII text in the encoding of {@code file:} URIs. Names on Linux are bytes; as
 * strings, Java loses those that the locale of the process cannot express, and root file systems
 * have such names.
 */
final class RawName {
  private static final Path ROOT = Path.of("/");

  private RawName() {}

  /** The last name of an absolute path. */
  static String of(Path file) {
    String path = withoutTrailingSlash(file.toUri().getRawPath());
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * The target of a symbolic link. Repeated and trailing slashes, which mean nothing, are left out.
   */
  static String ofTarget(Path target) {
    String path = withoutTrailingSlash(encoded(ROOT.resolve(target))).replaceAll("/{2,}", "/");
    return target.isAbsolute() ? path : path.substring(1);
  }

  /** The file of that name in a directory; the name must be one that {@link #of} gives. */
  static Path in(Path directory, String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.contains("/")) {
      throw Archive.invalid("a file is named '" + name + "'");
    }
    Path file = decoded(withoutTrailingSlash(encoded(directory)) + "/" + name);
    // An encoded slash, dot or zero byte does not come back as it was.
    if (!directory.equals(file.getParent()) || !of(file).equals(name)) {
      throw Archive.invalid("a file is named '" + name + "'");
    }
    return file;
  }

  /** The target of a symbolic link from what {@link #ofTarget} gives. */
  static Path target(String text) {
    if (text.isEmpty()) {
      throw Archive.invalid("a symbolic link leads to nothing");
    }
    if (text.startsWith("/")) {
      return decoded(text);
    }
    Path absolute = decoded("/" + text);
    return absolute.subpath(0, absolute.getNameCount());
  }

  private static String encoded(Path path) {
    return path.toUri().getRawPath();
  }

  private static Path decoded(String path) {
    try {
      return Path.of(URI.create("file://" + path));
    } catch (IllegalArgumentException e) {
      throw Archive.invalid("not a name of a file: " + path);
    }
  }

  private static String withoutTrailingSlash(String path) {
    return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }
}
