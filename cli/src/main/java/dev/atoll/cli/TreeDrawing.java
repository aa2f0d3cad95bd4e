package dev.atoll.cli;

import dev.atoll.model.StateKind;
import dev.atoll.model.StateNode;
import dev.atoll.model.StateTree;
import dev.atoll.model.Visible;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Draws a tree of states.
 *
 * <p>A kept state that follows another one stands straight below it, however many there are; what
 * else comes from a state branches off to the right. So a long history stays narrow.
 */
final class TreeDrawing {
  private static final int NOTE = 50;

  private final StateTree tree;
  private final Strokes strokes;
  private final Map<String, List<StateNode>> children = new HashMap<>();
  private final List<StateNode> roots = new ArrayList<>();
  private final Table table = new Table("TREE", "NAME", "STATE", "AGE", "NOTE");

  TreeDrawing(StateTree tree, Strokes strokes) {
    this.tree = tree;
    this.strokes = strokes;
    Set<String> known = tree.nodes().stream().map(StateNode::id).collect(Collectors.toSet());
    for (StateNode node : tree.nodes()) {
      String parent = node.parent();
      if (parent == null || !known.contains(parent)) {
        roots.add(node);
      } else {
        children.computeIfAbsent(parent, _ -> new ArrayList<>()).add(node);
      }
    }
  }

  Table table() {
    roots.forEach(root -> draw(root, "", ""));
    return table;
  }

  /** Draws a node and all that comes from it; {@code below} stands before what is under it. */
  private void draw(StateNode first, String before, String below) {
    String start = before;
    Optional<StateNode> node = Optional.of(first);
    while (node.isPresent()) {
      row(node.get(), start);
      Optional<StateNode> next = next(node.get());
      branches(node.get(), next, below);
      start = below;
      node = next;
    }
  }

  private void branches(StateNode node, Optional<StateNode> next, String below) {
    List<StateNode> branches = new ArrayList<>(children.getOrDefault(node.id(), List.of()));
    next.ifPresent(branches::remove);
    for (int i = 0; i < branches.size(); i++) {
      boolean last = i == branches.size() - 1 && next.isEmpty();
      draw(
          branches.get(i),
          below + (last ? strokes.last() : strokes.fork()),
          below + (last ? Strokes.BLANK : strokes.line()));
    }
  }

  /** The kept state in which the history of a kept state goes on. */
  private Optional<StateNode> next(StateNode node) {
    if (node.kind() == StateKind.SANDBOX) {
      return Optional.empty();
    }
    return children.getOrDefault(node.id(), List.of()).stream()
        .filter(child -> child.kind() != StateKind.SANDBOX)
        .reduce((_, later) -> later);
  }

  private void row(StateNode node, String before) {
    String here = node.id().equals(tree.current()) ? strokes.here() : "";
    table.row(
        before + strokes.of(node.kind()) + " " + node.id() + here,
        node.name() == null ? "-" : node.name(),
        state(node),
        Ago.since(node.createdAt()),
        node.note() == null ? "" : Visible.line(node.note(), NOTE));
  }

  private static String state(StateNode node) {
    if (node.kind() == StateKind.SANDBOX) {
      return node.state();
    }
    return node.kind().wire() + (node.state().equals("ready") ? "" : " (" + node.state() + ")");
  }
}
