package dev.atoll.sdk;

import dev.atoll.model.FileChange;
import dev.atoll.model.FileEvent;
import java.io.IOException;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Changes to files while they happen.
 *
 * <p>After a broken connection it goes on with a {@link FileChange#OVERFLOW} event, since changes
 * may have been missed. One thread reads; {@link #close()} ends it.
 */
public final class FileWatch implements Iterable<FileEvent>, AutoCloseable {
  private final String directory;
  private final LineFeed<Line> feed;

  FileWatch(Api api, String watchPath, String directory, boolean recursive) {
    this.directory = directory;
    this.feed =
        new LineFeed<>(
            api,
            () ->
                ApiRequest.get(watchPath)
                    .query("path", directory)
                    .query("recursive", recursive)
                    .accept(ApiRequest.NDJSON),
            Line.class,
            "watch");
    feed.first();
  }

  /** The changes; each is handed out once. It ends when the watch is closed. */
  @Override
  public Iterator<FileEvent> iterator() {
    return feed.iterator(this::read);
  }

  /** Ends the watch. */
  @Override
  public void close() {
    feed.close();
  }

  private @Nullable FileEvent read() {
    while (!feed.closed()) {
      try {
        Line line = feed.next();
        if (line.change() != null && line.path() != null) {
          return new FileEvent(line.change(), line.path(), line.from());
        }
      } catch (IOException e) {
        if (!feed.closed()) {
          feed.reconnect(e);
          return new FileEvent(FileChange.OVERFLOW, directory, null);
        }
      }
    }
    return null;
  }

  private record Line(
      @Nullable String type,
      @Nullable FileChange change,
      @Nullable String path,
      @Nullable String from) {}
}
