package dev.atoll.cli;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One side of a copy: a local path, a path in a sandbox, or the standard streams. */
sealed interface Place {
  /** {@code SANDBOX:/path}. */
  record Remote(String sandbox, String path) implements Place {
    /** The same place with a name added. */
    String child(String name) {
      return path.endsWith("/") ? path + name : path + "/" + name;
    }

    /** The last part of the path. */
    String name() {
      String trimmed = path.replaceAll("/+$", "");
      return trimmed.substring(trimmed.lastIndexOf('/') + 1);
    }
  }

  /** A path of this machine. */
  record Local(Path path) implements Place {}

  /** {@code -}. */
  record Stream() implements Place {}

  /** What a word means. A local path with a colon is written {@code ./a:b}. */
  static Place of(String word) {
    if (word.equals("-")) {
      return new Stream();
    }
    Matcher matcher = Pattern.compile("([a-zA-Z0-9][a-zA-Z0-9._-]*):(.*)").matcher(word);
    if (!matcher.matches()) {
      return new Local(Path.of(word));
    }
    String path = matcher.group(2);
    return new Remote(matcher.group(1), path.isEmpty() ? "." : path);
  }
}
