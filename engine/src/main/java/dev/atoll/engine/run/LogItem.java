package dev.atoll.engine.run;

import dev.atoll.model.RunEvent;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * One event of a {@link RunLog}, or a stretch of output of one stream that grows until it is full.
 * Guarded by the log's lock.
 */
final class LogItem {
  private static final int ITEM = 16 << 10;
  private static final int FIRST_BYTES = 32;

  /** What an item of output takes besides its bytes, so that many small ones are not free. */
  static final int COST = 160;

  final long offset;
  final boolean stderr;
  final @Nullable ByteArrayOutputStream output;
  @Nullable RunEvent event;
  boolean ascii;
  @Nullable LogItem next;

  LogItem(@Nullable RunEvent event, long offset) {
    this.event = event;
    this.offset = offset;
    this.stderr = false;
    this.output = null;
  }

  LogItem(boolean stderr, long offset) {
    this.event = null;
    this.offset = offset;
    this.stderr = stderr;
    this.output = new ByteArrayOutputStream(FIRST_BYTES);
  }

  /** A stretch that has come to its end. */
  LogItem(boolean stderr, long offset, byte[] whole) {
    this.event = null;
    this.offset = offset;
    this.stderr = stderr;
    this.output = new ByteArrayOutputStream(Math.max(1, whole.length));
    this.output.writeBytes(whole);
  }

  byte[] bytes() {
    return output == null ? new byte[0] : output.toByteArray();
  }

  int size() {
    return output == null ? 0 : output.size();
  }

  /** Large enough to start a new one, unless that would split a character between the two. */
  boolean full() {
    return size() >= ITEM && (ascii || size() >= 4 * ITEM);
  }
}
