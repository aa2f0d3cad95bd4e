package dev.atoll.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Which version this is; the build writes it into a resource. */
final class Version {
  private Version() {}

  static String current() {
    try (InputStream input = Version.class.getResourceAsStream("version.txt")) {
      return new String(
              Objects.requireNonNull(input, "version.txt").readAllBytes(), StandardCharsets.UTF_8)
          .strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
