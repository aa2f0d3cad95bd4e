package dev.atoll.engine.template;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The templates on disk, by digest. */
public final class BuiltTemplates {
  private static final String PLAN = "template.json";

  private final Path folder;
  // A template never changes once it is there.
  private final Map<String, BuildPlan> plans = new ConcurrentHashMap<>();
  private final Map<String, Long> sizes = new ConcurrentHashMap<>();

  BuiltTemplates(Path folder) {
    this.folder = folder;
  }

  /** Where the root file system of a digest is or would be. */
  public Path rootfs(String digest) {
    return folder.resolve(digest).resolve("rootfs");
  }

  /** Whether what a template stands on is there. */
  public boolean has(BuildPlan.Ground ground) {
    return Files.isDirectory(folder.resolve(ground.folder()));
  }

  /** How a template was built; empty when it is not there, or came with a snapshot. */
  public Optional<BuildPlan> plan(String digest) {
    BuildPlan cached = plans.get(digest);
    Path file = folder.resolve(digest).resolve(PLAN);
    if (cached != null || !Files.isRegularFile(file)) {
      return Optional.ofNullable(cached);
    }
    try {
      BuildPlan plan = Json.lenient().readValue(Files.readAllBytes(file), BuildPlan.class);
      plans.put(digest, plan);
      return Optional.of(plan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void note(BuildPlan plan, Path home) throws IOException {
    Files.write(home.resolve(PLAN), Json.lenient().writeValueAsBytes(plan));
  }

  /** How much a template holds; a file with several names counts once. */
  public long size(String digest) {
    Set<Object> seen = new HashSet<>();
    long[] bytes = new long[1];
    try {
      Files.walkFileTree(
          folder.resolve(digest).toRealPath(),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              Object key = attributes.fileKey();
              if (attributes.isRegularFile() && (key == null || seen.add(key))) {
                bytes[0] += attributes.size();
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes[0];
  }

  /** The same for one that is whole, measured once. */
  public long sizeOnce(String digest) {
    Long known = sizes.get(digest);
    if (known != null) {
      return known;
    }
    long size = size(digest);
    sizes.put(digest, size);
    return size;
  }

  /**
   * Removes a template, and the layers and the ground that no other one has; what others share with
   * it stays.
   */
  public void delete(String digest) {
    Optional<BuildPlan> gone = plan(digest);
    plans.remove(digest);
    sizes.remove(digest);
    try {
      Path home = folder.resolve(digest);
      if (Files.isDirectory(home)) {
        // First out of sight, so that half of it is never found.
        Path aside = Files.createTempDirectory(folder, ".building-");
        Files.move(home, aside.resolve("home"));
        Bench.delete(aside);
      }
      if (gone.isPresent()) {
        Set<String> needed = new HashSet<>();
        all().forEach(plan -> needed.addAll(parts(plan)));
        for (String part : parts(gone.get())) {
          if (!needed.contains(part)) {
            Bench.delete(folder.resolve(part));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes layers that no template has and that nobody made lately; their names. */
  List<String> sweep(Instant before) throws IOException {
    Set<String> needed = new HashSet<>();
    all().forEach(plan -> needed.addAll(parts(plan)));
    List<String> removed = new ArrayList<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        if (name.startsWith("layer-")
            && !needed.contains(name)
            && Files.getLastModifiedTime(entry).toInstant().isBefore(before)) {
          Bench.delete(entry);
          removed.add(name);
        }
      }
    }
    return removed;
  }

  /** Folders that a template was made of and that belong to no template. */
  private static List<String> parts(BuildPlan plan) {
    List<String> parts = new ArrayList<>();
    if (plan.ground().folder().startsWith("base-")) {
      parts.add(plan.ground().folder());
    }
    plan.steps().forEach(step -> parts.add("layer-" + step.layer()));
    return parts;
  }

  private List<BuildPlan> all() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .flatMap(name -> plan(name).stream())
          .toList();
    }
  }
}
