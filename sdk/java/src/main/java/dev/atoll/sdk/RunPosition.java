package dev.atoll.sdk;

import dev.atoll.model.RunEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a reader has come in the events of a run, so that after a reconnection nothing is handed
 * out twice.
 *
 * <p>Output is placed by its offset. The other events have none: the server sends those again that
 * happened at the offset that was asked for, so the ones seen since the last output are remembered
 * and recognised.
 */
final class RunPosition {
  private final List<RunEvent> sinceOutput = new ArrayList<>();
  private long offset;
  private boolean started;
  private int replayed;

  RunPosition(long offset) {
    this.offset = offset;
    this.replayed = Integer.MAX_VALUE;
  }

  /** The offset of the first byte that was not handed out yet. */
  long offset() {
    return offset;
  }

  /** The events from here on come from a new connection. */
  void reconnected() {
    replayed = 0;
  }

  /** The event, what is new of it, or null when it was there before. */
  @Nullable RunEvent advance(RunEvent event) {
    if (event instanceof RunEvent.Started) {
      boolean first = !started;
      started = true;
      return first ? event : null;
    }
    if (event instanceof RunEvent.Output output) {
      return advance(output);
    }
    if (replayed < sinceOutput.size()) {
      if (sinceOutput.get(replayed).equals(event)) {
        replayed++;
        return null;
      }
      replayed = Integer.MAX_VALUE;
    }
    sinceOutput.add(event);
    return event;
  }

  private @Nullable RunEvent advance(RunEvent.Output output) {
    byte[] bytes = RunStream.bytes(output);
    long end = output.offset() + bytes.length;
    if (end <= offset && bytes.length > 0) {
      return null;
    }
    long known = Math.max(0, offset - output.offset());
    offset = end;
    sinceOutput.clear();
    replayed = Integer.MAX_VALUE;
    return known == 0 ? output : rest(output, bytes, (int) known);
  }

  private static RunEvent rest(RunEvent.Output output, byte[] bytes, int known) {
    byte[] rest = Arrays.copyOfRange(bytes, known, bytes.length);
    long at = output.offset() + known;
    String text = output.text() == null ? null : new String(rest, StandardCharsets.UTF_8);
    String base64 = text == null ? Base64.getEncoder().encodeToString(rest) : null;
    return output instanceof RunEvent.Stdout
        ? new RunEvent.Stdout(at, text, base64)
        : new RunEvent.Stderr(at, text, base64);
  }
}
