package dev.atoll.engine.files;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Two walks side by side. */
public final class WalkPairs {
  private final Walk left;
  private final Walk right;
  private @Nullable WalkEntry leftNext;
  private @Nullable WalkEntry rightNext;
  private boolean begun;

  public WalkPairs(Walk left, Walk right) {
    this.left = left;
    this.right = right;
  }

  /** The same path on both sides; at least one of them is there. */
  public record Pair(@Nullable WalkEntry left, @Nullable WalkEntry right) {}

  /** The next pair; null at the end of both. */
  public @Nullable Pair next() throws IOException {
    if (!begun) {
      begun = true;
      leftNext = left.next();
      rightNext = right.next();
    }
    WalkEntry a = leftNext;
    WalkEntry b = rightNext;
    if (a == null && b == null) {
      return null;
    }
    int order = a == null ? 1 : b == null ? -1 : WalkEntry.ORDER.compare(a, b);
    if (order <= 0) {
      leftNext = left.next();
    }
    if (order >= 0) {
      rightNext = right.next();
    }
    return new Pair(order <= 0 ? a : null, order >= 0 ? b : null);
  }
}
