package dev.atoll.model;

import java.util.List;

/**
 * All states that go back to one sandbox.
 *
 * @param root the first sandbox
 * @param current the sandbox that was asked for
 * @param nodes parents before their children
 */
public record StateTree(String root, String current, List<StateNode> nodes) {
  public StateTree {
    nodes = List.copyOf(nodes);
  }
}
