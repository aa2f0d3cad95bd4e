package dev.atoll.engine;

import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.StateKind;
import dev.atoll.model.StateNode;
import dev.atoll.model.StateTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shows where the states of a family of sandboxes come from. */
record StateTrees(SandboxRows sandboxes, SnapshotRows snapshots) {

  StateTree of(String project, SandboxInfo asked) {
    List<SandboxInfo> family = sandboxes.tree(project, asked.tree());
    List<SnapshotInfo> kept = snapshots.tree(project, asked.tree());
    Set<String> known = new HashSet<>();
    Map<String, String> takenOf = new HashMap<>();
    family.forEach(sandbox -> known.add(sandbox.id()));
    for (SnapshotInfo snapshot : kept) {
      known.add(snapshot.id());
      if (snapshot.sandbox() != null) {
        takenOf.put(snapshot.id(), snapshot.sandbox());
      }
    }
    List<StateNode> nodes = new ArrayList<>();
    family.forEach(sandbox -> nodes.add(node(sandbox, known)));
    kept.forEach(snapshot -> nodes.add(node(snapshot, known, takenOf)));
    return new StateTree(asked.tree(), asked.id(), parentsFirst(nodes));
  }

  private static StateNode node(SandboxInfo sandbox, Set<String> known) {
    return new StateNode(
        sandbox.id(),
        StateKind.SANDBOX,
        known(sandbox.parent(), known),
        sandbox.name(),
        sandbox.state().wire(),
        sandbox.reason(),
        sandbox.createdAt());
  }

  private static StateNode node(
      SnapshotInfo snapshot, Set<String> known, Map<String, String> takenOf) {
    return new StateNode(
        snapshot.id(),
        snapshot.automatic() ? StateKind.CHECKPOINT : StateKind.SNAPSHOT,
        parent(snapshot, known, takenOf),
        snapshot.name(),
        snapshot.state().wire(),
        snapshot.note(),
        snapshot.createdAt());
  }

  /**
   * A state hangs below the one before it of the same sandbox, or below its sandbox: the first of a
   * fork does, although its files continue those of a state of the parent.
   */
  private static @Nullable String parent(
      SnapshotInfo snapshot, Set<String> known, Map<String, String> takenOf) {
    String before = known(snapshot.parent(), known);
    String sandbox = known(snapshot.sandbox(), known);
    boolean same = before != null && Objects.equals(takenOf.get(before), snapshot.sandbox());
    return same || sandbox == null ? before : sandbox;
  }

  private static @Nullable String known(@Nullable String id, Set<String> known) {
    return id != null && known.contains(id) ? id : null;
  }

  private static List<StateNode> parentsFirst(List<StateNode> nodes) {
    List<StateNode> ordered = new ArrayList<>();
    Set<String> placed = new HashSet<>();
    List<StateNode> left = new ArrayList<>(nodes);
    boolean progress = true;
    while (progress && !left.isEmpty()) {
      List<StateNode> now =
          left.stream()
              .filter(node -> node.parent() == null || placed.contains(node.parent()))
              .toList();
      now.forEach(node -> placed.add(node.id()));
      ordered.addAll(now);
      progress = left.removeAll(now);
    }
    ordered.addAll(left);
    return ordered;
  }
}
