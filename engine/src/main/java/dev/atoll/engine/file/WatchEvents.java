package dev.atoll.engine.file;

import dev.atoll.engine.FileWatch;
import dev.atoll.model.FileChange;
import dev.atoll.model.FileEvent;
import dev.atoll.protocol.wire.Event;
import dev.atoll.protocol.wire.Frame;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A watch that stands in the guest. */
final class WatchEvents implements FileWatch {
  private final Transfer transfer;

  WatchEvents(Transfer transfer) {
    this.transfer = transfer;
  }

  @Override
  public @Nullable FileEvent next(Duration wait) {
    Frame frame = transfer.poll(wait);
    if (frame == null || !frame.hasEvent()) {
      return null;
    }
    Event event = frame.getEvent();
    FileChange change =
        switch (event.getKind()) {
          case CREATED -> FileChange.CREATED;
          case MODIFIED -> FileChange.MODIFIED;
          case REMOVED -> FileChange.REMOVED;
          case MOVED -> FileChange.MOVED;
          case OVERFLOW, KIND_UNSPECIFIED, UNRECOGNIZED -> FileChange.OVERFLOW;
        };
    return new FileEvent(
        change, event.getPath(), event.getFrom().isEmpty() ? null : event.getFrom());
  }

  @Override
  public void close() {
    transfer.close();
  }
}
