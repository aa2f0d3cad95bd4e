package dev.atoll.sdk;

import dev.atoll.model.ServiceLogLine;
import java.io.IOException;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What the instances of a service write, while they do. After a broken connection to the server it
 * goes on, and the last lines may be told twice. One thread reads; {@link #close()} ends it.
 */
public final class ServiceLogFeed implements Iterable<ServiceLogLine>, AutoCloseable {
  private final LineFeed<Line> feed;

  ServiceLogFeed(Api api, ApiRequest request) {
    this.feed = new LineFeed<>(api, () -> request, Line.class, "log");
    feed.first();
  }

  /** The lines; each is handed out once. It ends when the feed is closed. */
  @Override
  public Iterator<ServiceLogLine> iterator() {
    return feed.iterator(this::read);
  }

  /** Ends the feed. */
  @Override
  public void close() {
    feed.close();
  }

  private @Nullable ServiceLogLine read() {
    while (!feed.closed()) {
      try {
        ServiceLogLine line = feed.next().line();
        if (line != null) {
          return line;
        }
      } catch (IOException e) {
        if (!feed.closed()) {
          feed.reconnect(e);
        }
      }
    }
    return null;
  }

  record Line(@Nullable String type, @Nullable ServiceLogLine line) {}
}
