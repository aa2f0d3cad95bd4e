package dev.atoll.engine;

import dev.atoll.engine.store.SnapshotRows;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Removes root file systems that came with snapshots, with their last user. */
final class UnusedRoots {
  private final Templates templates;
  private final Registry registry;
  private final SnapshotRows snapshots;
  private volatile Supplier<Set<String>> others = Set::of;

  UnusedRoots(Templates templates, Registry registry, SnapshotRows snapshots) {
    this.templates = templates;
    this.registry = registry;
    this.snapshots = snapshots;
  }

  /** Says which root file systems are needed besides those of sandboxes and snapshots. */
  void keep(Supplier<Set<String>> newOthers) {
    others = newOthers;
  }

  /** To be called whenever a snapshot or a sandbox is gone. */
  void remove() {
    if (templates.importedDigests().isEmpty()) {
      return;
    }
    List<Path> gone = templates.takeOutUnused(this::used);
    if (!gone.isEmpty()) {
      // They are out of sight already; what a server that ends leaves, the next start removes.
      Thread.ofVirtual().name("unused-roots").start(() -> gone.forEach(Trees::delete));
    }
  }

  private Set<String> used() {
    Set<String> used = new HashSet<>(others.get());
    registry.all().forEach(sandbox -> used.add(sandbox.info().templateDigest()));
    snapshots.all().forEach(row -> used.add(row.info().templateDigest()));
    return used;
  }
}
