package dev.atoll.supply;

import dev.atoll.supply.Component.Ecosystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A folder with the advisories of each ecosystem in {@code ECOSYSTEM/all.zip}, as OSV publishes
 * them. One that is missing, empty, damaged or too old is an error: nothing found in it would mean
 * nothing.
 */
final class Database {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int LARGEST = 16 << 20;

  private final Path folder;
  private final Duration maxAge;

  Database(Path folder, Duration maxAge) {
    this.folder = folder;
    this.maxAge = maxAge;
  }

  /** What is known against these parts, all of which are of one ecosystem. */
  List<String> against(Ecosystem ecosystem, List<Component> components) throws IOException {
    Path file = folder.resolve(ecosystem.osv()).resolve("all.zip");
    check(file);
    List<String> findings = new ArrayList<>();
    int read = 0;
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(".json")) {
          findings.addAll(against(advisory(zip, file, entry.getName()), components));
          read++;
        }
      }
    }
    if (read == 0) {
      throw new IOException(file + " has no advisories in it");
    }
    return findings;
  }

  private static List<String> against(Advisory advisory, List<Component> components) {
    if (advisory.withdrawn()) {
      return List.of();
    }
    return components.stream()
        .filter(advisory::affects)
        .map(part -> advisory.id() + "  " + part.purl() + "  " + advisory.summary())
        .distinct()
        .toList();
  }

  private static Advisory advisory(InputStream in, Path file, String name) throws IOException {
    byte[] bytes = in.readNBytes(LARGEST + 1);
    if (bytes.length > LARGEST) {
      throw new IOException(name + " in " + file + " is longer than " + LARGEST + " bytes");
    }
    try {
      return new Advisory(JSON.readTree(bytes));
    } catch (JacksonException e) {
      throw new IOException(name + " in " + file + " is damaged", e);
    }
  }

  private void check(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is not there: see \"Advisories\" in docs/supply-chain.md");
    }
    Duration age = Duration.between(Files.getLastModifiedTime(file).toInstant(), Instant.now());
    if (age.compareTo(maxAge) > 0) {
      throw new IOException(
          file + " is " + age.toDays() + " days old, at most " + maxAge.toDays() + " are allowed");
    }
  }
}
