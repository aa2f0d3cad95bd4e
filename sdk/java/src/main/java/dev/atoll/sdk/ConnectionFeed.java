package dev.atoll.sdk;

import dev.atoll.model.Connection;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Connections while they happen: each when it begins, is refused, and ends, known by its id.
 *
 * <p>After a broken connection to the server it goes on with what began in between, which is on
 * record; something may then be told twice. One thread reads; {@link #close()} ends it.
 */
public final class ConnectionFeed implements Iterable<Connection>, AutoCloseable {
  private final Api api;
  private final ConnectionQuery query;
  private final LineFeed<Line> feed;
  private final Deque<Connection> caughtUp = new ArrayDeque<>();
  private @Nullable Instant seen;
  private long missed;

  ConnectionFeed(Api api, ConnectionQuery query) {
    this.api = api;
    this.query = query;
    this.feed = new LineFeed<>(api, () -> query.following(Connections.PATH), Line.class, "feed");
    this.seen = feed.first().time();
  }

  /** The connections; each is handed out once. It ends when the feed is closed. */
  @Override
  public Iterator<Connection> iterator() {
    return feed.iterator(this::read);
  }

  /** How many the server has left out so far, because they were not read fast enough. */
  public long missed() {
    return missed;
  }

  /** Ends the feed. */
  @Override
  public void close() {
    feed.close();
  }

  private @Nullable Connection read() {
    while (!feed.closed()) {
      Connection earlier = caughtUp.poll();
      if (earlier != null) {
        return earlier;
      }
      try {
        Line line = feed.next();
        missed += line.count() == null ? 0 : line.count();
        Connection connection = line.connection();
        if (connection != null) {
          seen = later(seen, connection.time());
          return connection;
        }
      } catch (IOException e) {
        if (!feed.closed()) {
          feed.reconnect(e);
          catchUp();
        }
      }
    }
    return null;
  }

  /** An end is told with the time of its beginning, which may be long ago. */
  private static Instant later(@Nullable Instant one, Instant other) {
    return one == null || one.isBefore(other) ? other : one;
  }

  /** The listing is newest first; what is handed out is in the order of time. */
  private void catchUp() {
    Instant since = seen;
    new Pages<Connection>(
            cursor -> api.page(query.page(Connections.PATH, cursor, since), Connection.class))
        .forEach(caughtUp::addFirst);
  }

  private record Line(
      @Nullable String type,
      @Nullable Instant time,
      @Nullable Connection connection,
      @Nullable Long count) {}
}
