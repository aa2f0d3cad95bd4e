package dev.atoll.engine.run;

import dev.atoll.model.RunEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The results of one run that are in memory: at most {@link #MOST} bytes, and within the room that
 * all runs share. What finds no room is told by something small instead; what comes after that is
 * dropped, but for the value at the end. Guarded by the lock of its {@link RunLog}.
 */
final class ShownResults {
  static final int MOST = 16 << 20;

  /** What an event takes besides its data. */
  private static final int OVERHEAD = 512;

  private final ResultRoom room;
  private final Deque<Kept> kept = new ArrayDeque<>();
  private long bytes;
  private long taken;
  private boolean full;

  private record Kept(LogItem item, RunEvent instead, long weight) {}

  ShownResults(ResultRoom room) {
    this.room = room;
  }

  /** The item that a result becomes; null when it is dropped. */
  @Nullable LogItem admit(RunEvent result, RunEvent instead, int size, long offset) {
    if (full && !(result instanceof RunEvent.Result)) {
      return null;
    }
    long weight = (long) size + OVERHEAD;
    if (bytes + weight > MOST || !room.take(weight)) {
      full = true;
      return new LogItem(instead, offset);
    }
    taken += weight;
    bytes += weight;
    LogItem item = new LogItem(result, offset);
    kept.add(new Kept(item, instead, weight));
    return item;
  }

  /** Lets go of the oldest until no more than so many bytes are kept. */
  void trim(long most) {
    while (bytes > most && !kept.isEmpty()) {
      Kept oldest = kept.remove();
      oldest.item().event = oldest.instead();
      bytes -= oldest.weight();
      taken -= oldest.weight();
      room.give(oldest.weight());
    }
  }

  /** Nothing more will come, and what is left is little: the room is for others. */
  void settle() {
    room.give(taken);
    taken = 0;
    kept.clear();
  }
}
