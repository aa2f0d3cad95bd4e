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
 * <p>Output is placed by its offset, which also counts what was cut. The other events have none: a
 * server sends them again on a new connection, either all of them, then with the start before them,
 * or those that happened at the asked offset or later. They come in the order of the first time and
 * before any new output, so they are recognised by their place in that order.
 */
final class RunPosition {
  /** An event without an offset; of its content, which may be large, only the hash is kept. */
  private record Seen(long position, int hash) {}

  private static final int NOT_REPLAYING = Integer.MAX_VALUE;

  private final List<Seen> seen = new ArrayList<>();
  private long offset;
  private boolean started;
  private int replayed = NOT_REPLAYING;

  RunPosition(long offset) {
    this.offset = offset;
  }

  /** The offset of the first byte that was not handed out yet. */
  long offset() {
    return offset;
  }

  /** The events from here on come from a new connection. */
  void reconnected() {
    replayed = 0;
    while (replayed < seen.size() && seen.get(replayed).position() < offset) {
      replayed++;
    }
  }

  /** The event, what is new of it, or null when it was there before. */
  @Nullable RunEvent advance(RunEvent event) {
    if (event instanceof RunEvent.Started) {
      return advanceStart(event);
    }
    if (event instanceof RunEvent.Output output) {
      return advanceOutput(output);
    }
    if (event instanceof RunEvent.Cut cut) {
      return advanceCut(cut);
    }
    int known = replayedAt(event.hashCode());
    if (known >= 0) {
      replayed = known + 1;
      return null;
    }
    replayed = NOT_REPLAYING;
    seen.add(new Seen(offset, event.hashCode()));
    return event;
  }

  /** Its place among those that come again; a server leaves out what was replaced meanwhile. */
  private int replayedAt(int hash) {
    for (int i = replayed; i < seen.size(); i++) {
      if (seen.get(i).hash() == hash) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable RunEvent advanceStart(RunEvent event) {
    if (started) {
      replayed = 0;
      return null;
    }
    started = true;
    return event;
  }

  private @Nullable RunEvent advanceCut(RunEvent.Cut cut) {
    long end = cut.offset() + cut.bytes();
    if (end <= offset) {
      return null;
    }
    offset = end;
    return cut;
  }

  private @Nullable RunEvent advanceOutput(RunEvent.Output output) {
    byte[] bytes = RunStream.bytes(output);
    long end = output.offset() + bytes.length;
    if (end <= offset) {
      return null;
    }
    long known = Math.max(0, offset - output.offset());
    offset = end;
    replayed = NOT_REPLAYING;
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
