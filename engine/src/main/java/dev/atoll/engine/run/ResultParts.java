package dev.atoll.engine.run;

import com.google.protobuf.ByteString;
import dev.atoll.engine.budget.BudgetAccount;
import java.io.ByteArrayOutputStream;

/**
 * A result on its way, which comes in parts. What waits for its last part takes room as finished
 * results do; one that is too long, or finds no room, is cut, and so unreadable. Of one reading
 * thread, but for {@link #drop}.
 */
final class ResultParts {
  static final int MOST = 17 << 20;

  private final BudgetAccount room;
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private long taken;

  ResultParts(BudgetAccount room) {
    this.room = room;
  }

  synchronized void add(ByteString part) {
    // Twice, since what grows has to be copied.
    long cost = 2L * part.size();
    if (bytes.size() <= MOST && room.take(cost)) {
      taken += cost;
      bytes.writeBytes(part.toByteArray());
    }
  }

  /** All of it; the next part begins another one. */
  synchronized byte[] take() {
    byte[] whole = bytes.toByteArray();
    drop();
    return whole;
  }

  /** Nobody wants it any more. */
  synchronized void drop() {
    room.give(taken);
    taken = 0;
    if (bytes.size() > 0) {
      bytes = new ByteArrayOutputStream();
    }
  }
}
