package dev.atoll.engine.run;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.RunEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The results of one run that are in memory: at most {@link #MOST} bytes, and within the room that
 * all runs share. What finds no room is told by something small instead; what comes after that is
 * dropped, but for the value at the end. A kernel that goes on with values says no more than {@link
 * #MOST_NOTICES} of them. Guarded by the lock of its {@link RunLog}.
 */
final class ShownResults {
  static final int MOST = 16 << 20;

  /** What an event takes besides its data. */
  private static final int OVERHEAD = 512;

  /** What is told instead of a result takes no more, and no less than it has paid. */
  private static final int INSTEAD = 1024;

  /** What is told instead without having been paid for, as long as these are few. */
  static final int MOST_NOTICES = 8;

  private final BudgetAccount room;
  private final Deque<Kept> kept = new ArrayDeque<>();
  private long bytes;
  private long replaced;
  private int notices;
  private boolean full;

  private record Kept(LogItem item, RunEvent instead, long weight) {}

  ShownResults(BudgetAccount room) {
    this.room = room;
  }

  /** The item that a result becomes; null when it is dropped. */
  @Nullable LogItem admit(RunEvent result, RunEvent instead, int size, long offset) {
    if (full && result instanceof RunEvent.Display) {
      return null;
    }
    if (result instanceof RunEvent.Display shown && shown.replaces()) {
      forgetReplaced(shown.displayId());
    }
    long weight = (long) size + OVERHEAD;
    // Twice, since text with one foreign letter takes two bytes for each.
    if (bytes + replaced + weight > MOST || !room.take(2 * weight)) {
      full = true;
      return notices++ < MOST_NOTICES ? new LogItem(instead, offset) : null;
    }
    bytes += weight;
    LogItem item = new LogItem(result, offset);
    kept.add(new Kept(item, instead, weight));
    return item;
  }

  /**
   * Who comes late needs the last state alone of what is replaced again and again, such as the bar
   * of a long loop. What was shown first keeps the place.
   */
  private void forgetReplaced(@Nullable String id) {
    Iterator<Kept> newest = kept.descendingIterator();
    while (newest.hasNext()) {
      Kept one = newest.next();
      if (one.item().event instanceof RunEvent.Display before
          && before.replaces()
          && Objects.equals(before.displayId(), id)) {
        newest.remove();
        one.item().event = null;
        bytes -= one.weight();
        room.give(2 * one.weight());
        return;
      }
    }
  }

  /** Lets go of the oldest until no more than so many bytes are kept. */
  void trim(long most) {
    while (bytes > most && !kept.isEmpty()) {
      Kept oldest = kept.remove();
      oldest.item().event = oldest.instead();
      bytes -= oldest.weight();
      replaced += INSTEAD;
      room.give(2 * oldest.weight() - INSTEAD);
    }
  }

  /** What they have taken of the room. */
  long held() {
    return 2 * bytes + replaced;
  }

  /** Nobody can reach them any more: the room is for others. */
  void release() {
    room.give(held());
    bytes = 0;
    replaced = 0;
    kept.clear();
  }
}
