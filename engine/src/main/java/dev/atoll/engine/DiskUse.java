package dev.atoll.engine;

import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.engine.store.TemplateRows;
import dev.atoll.engine.template.ImportedRoots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the things of a project take on disk. Which there are is asked anew each time. How large
 * they are is measured in the background, so that nobody waits for a disk: it is as old as {@link
 * #MEASURED_EVERY} at most. An image that is too new to be measured counts whole, as if it shared
 * nothing.
 */
final class DiskUse {
  static final Duration MEASURED_EVERY = Duration.ofSeconds(10);

  private final Registry registry;
  private final SnapshotRows snapshots;
  private final TemplateRows templateRows;
  private final Templates templates;
  private final ImageStore images;
  private final Map<String, Long> roots = new ConcurrentHashMap<>();
  private volatile Map<String, Long> measuredImages = Map.of();
  private volatile Map<String, Long> measuredSandboxes = Map.of();

  DiskUse(
      Registry registry,
      SnapshotRows snapshots,
      TemplateRows templateRows,
      Templates templates,
      ImageStore images) {
    this.registry = registry;
    this.snapshots = snapshots;
    this.templateRows = templateRows;
    this.templates = templates;
    this.images = images;
  }

  Stream<Charge> of(String project) {
    List<SnapshotRows.Brief> kept = snapshots.brief(project);
    return Stream.of(
            sandboxes(project).map(this::sandbox),
            kept.stream().map(row -> snapshot(row.id(), row.name(), image(row.id()))),
            templateRows.of(project).stream().map(row -> template(row, row.sizeBytes())),
            roots(project, kept))
        .flatMap(Function.identity());
  }

  static Charge snapshot(String id, @Nullable String name, long bytes) {
    return Charge.disk("snapshot", id, name, bytes);
  }

  /** Versions with the same files are one thing on disk. */
  static Charge template(TemplateRows.Row row, long bytes) {
    return Charge.disk("template", row.digest(), row.name() + "@" + row.version(), bytes);
  }

  private Stream<LiveSandbox> sandboxes(String project) {
    return registry.all().stream().filter(sandbox -> sandbox.project().equals(project));
  }

  private Charge sandbox(LiveSandbox sandbox) {
    String image = sandbox.image();
    long bytes = image == null ? measuredSandboxes.getOrDefault(sandbox.id(), 0L) : image(image);
    return Charge.disk("sandbox", sandbox.id(), sandbox.info().name(), bytes);
  }

  private long image(String id) {
    Long measured = measuredImages.get(id);
    return measured == null ? images.sizes(List.of(id)).getOrDefault(id, 0L) : measured;
  }

  /** A root file system that came with snapshots counts for each project that uses it. */
  private Stream<Charge> roots(String project, List<SnapshotRows.Brief> kept) {
    return Stream.concat(
            sandboxes(project).map(sandbox -> sandbox.info().templateDigest()),
            kept.stream().map(SnapshotRows.Brief::digest))
        .filter(ImportedRoots::isImported)
        .distinct()
        .map(digest -> root(digest, roots.getOrDefault(digest, 0L)));
  }

  private static Charge root(String digest, long bytes) {
    return Charge.disk("imported root", digest, null, bytes);
  }

  /** What a snapshot that was just taken in needs: itself, and its root file system. */
  List<Charge> imported(String id, @Nullable String name, String digest) {
    Charge own = snapshot(id, name, image(id));
    return ImportedRoots.isImported(digest)
        ? List.of(own, root(digest, roots.computeIfAbsent(digest, this::rootBytes)))
        : List.of(own);
  }

  private long rootBytes(String digest) {
    return templates.builder().built().size(digest);
  }

  /** Measures all; to be called every now and then. */
  void measure() {
    Map<String, Long> running = new HashMap<>();
    Map<String, List<String>> kept = new HashMap<>();
    snapshots.briefOfAll().forEach(row -> note(kept, row.project(), row.id()));
    for (LiveSandbox sandbox : registry.all()) {
      String image = sandbox.image();
      Incarnation body = sandbox.incarnation();
      if (image != null) {
        note(kept, sandbox.project(), image);
      } else if (body != null) {
        running.put(sandbox.id(), body.machine().stats().diskBytes());
      }
    }
    Map<String, Long> sizes = new HashMap<>();
    kept.values().forEach(ids -> sizes.putAll(images.sizes(ids)));
    measuredSandboxes = Map.copyOf(running);
    measuredImages = Map.copyOf(sizes);
    measureRoots();
  }

  private static void note(Map<String, List<String>> kept, String project, String image) {
    kept.computeIfAbsent(project, name -> new ArrayList<>()).add(image);
  }

  /** They never change, so each is measured once. */
  private void measureRoots() {
    Set<String> there = new HashSet<>(templates.importedDigests());
    roots.keySet().retainAll(there);
    there.forEach(digest -> roots.computeIfAbsent(digest, this::rootBytes));
  }
}
