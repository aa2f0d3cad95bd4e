package dev.atoll.engine;

import dev.atoll.engine.image.ExportKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The servers whose exports are taken whole: this one, and those that the administrator has named
 * by a file {@code NAME.pub} with their public key in it. Read at each import, so that a file that
 * was added or removed counts at once.
 */
record TrustedServers(ExportKey own, Path folder) {
  private static final String ENDING = ".pub";
  private static final long MOST_BYTES = 1 << 12;

  /** What a server is called here; empty for one that is not trusted. */
  Optional<String> name(String publicKey) {
    try {
      if (own.publicKey().equals(publicKey)) {
        return Optional.of("this server");
      }
      if (!Files.isDirectory(folder)) {
        return Optional.empty();
      }
      try (Stream<Path> entries = Files.list(folder)) {
        List<Path> files =
            entries
                .filter(file -> file.getFileName().toString().endsWith(ENDING))
                .sorted()
                .toList();
        for (Path file : files) {
          if (Files.size(file) <= MOST_BYTES
              && Files.readString(file, StandardCharsets.US_ASCII).strip().equals(publicKey)) {
            String name = file.getFileName().toString();
            return Optional.of(name.substring(0, name.length() - ENDING.length()));
          }
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
