package dev.atoll.agents.tools;

import java.util.ArrayList;
import java.util.List;

/** The copies that the last fork made, until one is chosen or another fork replaces them. */
final class Branches implements AutoCloseable {
  private final List<Workspace> copies = new ArrayList<>();

  /** Makes copies in place of those of before. */
  synchronized List<Workspace> fork(Workspace workspace, int count) {
    close();
    copies.addAll(workspace.fork(count));
    return List.copyOf(copies);
  }

  /** Goes on as one of them, counted from 1, and ends the others. */
  synchronized void merge(Workspace workspace, int number) {
    if (number > copies.size()) {
      throw new Arguments.Unusable(
          copies.isEmpty()
              ? "There are no branches now; call fork first."
              : "There are branches 1 to %d.".formatted(copies.size()));
    }
    workspace.merge(copies.get(number - 1));
    copies.remove(number - 1);
    close();
  }

  @Override
  public synchronized void close() {
    List<Workspace> ending = List.copyOf(copies);
    copies.clear();
    ending.forEach(Workspace::close);
  }
}
