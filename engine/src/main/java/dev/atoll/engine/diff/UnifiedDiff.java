package dev.atoll.engine.diff;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.ChangeDelta;
import com.github.difflib.patch.Chunk;
import com.github.difflib.patch.Patch;
import java.util.ArrayList;
import java.util.List;

/** Two texts as a unified diff. */
final class UnifiedDiff {
  private static final int CONTEXT = 3;

  /** Texts with more lines that differ are shown as one replaced by the other: time is bounded. */
  private static final int MOST_LINES = 10_000;

  private static final String NO_NEWLINE = "\n\\ No newline at end of file";

  private UnifiedDiff() {}

  /** Empty when both are the same. */
  static String of(String path, String before, String after) {
    List<String> from = lines(before);
    List<String> to = lines(after);
    List<String> text =
        UnifiedDiffUtils.generateUnifiedDiff(path, path, from, patch(from, to), CONTEXT);
    return text.isEmpty() ? "" : String.join("\n", text) + "\n";
  }

  /** The marker is part of a last line without an end, which so differs from one with an end. */
  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    String last = lines.removeLast();
    if (!last.isEmpty()) {
      lines.add(last + NO_NEWLINE);
    }
    return lines;
  }

  private static Patch<String> patch(List<String> from, List<String> to) {
    int start = 0;
    int shorter = Math.min(from.size(), to.size());
    while (start < shorter && from.get(start).equals(to.get(start))) {
      start++;
    }
    int end = 0;
    while (end < shorter - start
        && from.get(from.size() - 1 - end).equals(to.get(to.size() - 1 - end))) {
      end++;
    }
    List<String> old = from.subList(start, from.size() - end);
    List<String> young = to.subList(start, to.size() - end);
    if (old.size() + young.size() <= MOST_LINES) {
      return joined(DiffUtils.diff(from, to, new MyersDiffWithLinearSpace<>()));
    }
    Patch<String> patch = new Patch<>();
    patch.addDelta(new ChangeDelta<>(new Chunk<>(start, old), new Chunk<>(start, young)));
    return patch;
  }

  /** What is removed and added at one place is one change: first the old lines, then the new. */
  private static Patch<String> joined(Patch<String> patch) {
    List<Run> runs = new ArrayList<>();
    for (AbstractDelta<String> delta : patch.getDeltas()) {
      if (runs.isEmpty() || !runs.getLast().reaches(delta)) {
        runs.add(new Run(delta.getSource().getPosition(), delta.getTarget().getPosition()));
      }
      runs.getLast().add(delta);
    }
    Patch<String> result = new Patch<>();
    runs.forEach(run -> result.addDelta(run.delta()));
    return result;
  }

  /** Changes without a common line between them. */
  private record Run(int from, int to, List<String> old, List<String> young) {
    Run(int from, int to) {
      this(from, to, new ArrayList<>(), new ArrayList<>());
    }

    boolean reaches(AbstractDelta<String> delta) {
      return from + old.size() == delta.getSource().getPosition()
          && to + young.size() == delta.getTarget().getPosition();
    }

    void add(AbstractDelta<String> delta) {
      old.addAll(delta.getSource().getLines());
      young.addAll(delta.getTarget().getLines());
    }

    AbstractDelta<String> delta() {
      return new ChangeDelta<>(new Chunk<>(from, old), new Chunk<>(to, young));
    }
  }
}
