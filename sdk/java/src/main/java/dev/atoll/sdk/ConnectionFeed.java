package dev.atoll.sdk;

import dev.atoll.model.Connection;
import dev.atoll.model.Json;
import dev.atoll.sdk.transport.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Connections while they happen: each when it begins, is refused, and ends, known by its id.
 *
 * <p>After a broken connection to the server it goes on with what began in between, which is on
 * record; something may then be told twice. One thread reads; {@link #close()} ends it.
 */
public final class ConnectionFeed implements Iterable<Connection>, AutoCloseable {
  private final Api api;
  private final ConnectionQuery query;
  private final Deque<Connection> caughtUp = new ArrayDeque<>();
  private HttpAnswer answer;
  private LineReader lines;
  private @Nullable Instant seen;
  private long missed;
  private volatile boolean closed;

  ConnectionFeed(Api api, ConnectionQuery query) {
    this.api = api;
    this.query = query;
    this.answer = api.open(request());
    this.lines = new LineReader(answer.body());
    try {
      seen = nextLine().time();
    } catch (IOException e) {
      close();
      throw new ConnectionException("the connection broke before the feed began", "try again", e);
    }
  }

  /** The connections; each is handed out once. It ends when the feed is closed. */
  @Override
  public Iterator<Connection> iterator() {
    return new Iterator<>() {
      private @Nullable Connection upcoming;

      @Override
      public boolean hasNext() {
        upcoming = upcoming == null ? read() : upcoming;
        return upcoming != null;
      }

      @Override
      public Connection next() {
        if (!hasNext() || upcoming == null) {
          throw new NoSuchElementException("the feed was closed");
        }
        Connection connection = upcoming;
        upcoming = null;
        return connection;
      }
    };
  }

  /** How many the server has left out so far, because they were not read fast enough. */
  public long missed() {
    return missed;
  }

  /** Ends the feed. */
  @Override
  public void close() {
    closed = true;
    answer.close();
  }

  private @Nullable Connection read() {
    while (!closed) {
      Connection earlier = caughtUp.poll();
      if (earlier != null) {
        return earlier;
      }
      try {
        Line line = nextLine();
        missed += line.count() == null ? 0 : line.count();
        Connection connection = line.connection();
        if (connection != null) {
          seen = later(seen, connection.time());
          return connection;
        }
      } catch (IOException e) {
        if (!closed) {
          reconnect(e);
        }
      }
    }
    return null;
  }

  /** An end is told with the time of its beginning, which may be long ago. */
  private static Instant later(@Nullable Instant one, Instant other) {
    return one == null || one.isBefore(other) ? other : one;
  }

  private void reconnect(IOException reason) {
    if (Thread.currentThread().isInterrupted()
        || reason.getCause() instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(reason);
    }
    answer.close();
    long deadline = System.nanoTime() + api.policy().reconnectTime().toNanos();
    for (int attempt = 1; !openedAgain(deadline); attempt++) {
      Api.pause(api.policy().delay(Math.min(attempt, 4)));
    }
    catchUp();
  }

  private boolean openedAgain(long deadline) {
    api.findServerAgain();
    try {
      answer = api.openOnce(request());
      lines = new LineReader(answer.body());
      nextLine();
      return true;
    } catch (IOException e) {
      if (System.nanoTime() > deadline) {
        throw new ConnectionException(
            "the connection to the server broke and it did not come back in time",
            "follow again",
            e);
      }
    } catch (ApiException e) {
      if (e.code().httpStatus() != 503 || System.nanoTime() > deadline) {
        throw e;
      }
    }
    return false;
  }

  /** The listing is newest first; what is handed out is in the order of time. */
  private void catchUp() {
    Instant since = seen;
    new Pages<Connection>(
            cursor -> api.page(query.page(Connections.PATH, cursor, since), Connection.class))
        .forEach(caughtUp::addFirst);
  }

  private Line nextLine() throws IOException {
    byte[] line = lines.next();
    if (line == null) {
      throw new EOFException("the feed stopped");
    }
    try {
      return Json.lenient().readValue(line, Line.class);
    } catch (JacksonException e) {
      throw new IOException("a connection is not readable", e);
    }
  }

  private ApiRequest request() {
    return query.following(Connections.PATH);
  }

  private record Line(
      @Nullable String type,
      @Nullable Instant time,
      @Nullable Connection connection,
      @Nullable Long count) {}
}
