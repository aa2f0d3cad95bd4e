package dev.atoll.server.http;

import dev.atoll.model.Connection;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Connections as lines of a stream, as long as the caller listens. */
final class ConnectionAnswer {
  private final Exchange exchange;
  private final ConnectionFeed feed;
  private final Shutdown shutdown;

  ConnectionAnswer(Exchange exchange, ConnectionFeed feed, Shutdown shutdown) {
    this.exchange = exchange;
    this.feed = feed;
    this.shutdown = shutdown;
  }

  void send() throws IOException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    writer.add(new Following("following", Instant.now()));
    writer.flush();
    Silence silence = new Silence(exchange.config().pingInterval());
    while (!shutdown.begun()) {
      Connection connection = feed.next(silence.atMost(Shutdown.TICK));
      if (connection == null && !silence.tooLong()) {
        continue;
      }
      if (connection == null) {
        writer.add(new WatchFilesHandler.Mark("ping"));
      }
      gather(writer, connection);
      writer.flush();
      silence.broken();
    }
    writer.end();
  }

  /** Takes along what is there already, so that a burst leaves in one write. */
  private void gather(NdjsonWriter writer, @Nullable Connection first) {
    Connection connection = first;
    while (connection != null) {
      writer.add(new Line("connection", connection));
      connection = writer.full() ? null : feed.next(Duration.ZERO);
    }
    long missed = feed.missed();
    if (missed > 0) {
      writer.add(new Missed("missed", missed));
    }
  }

  /**
   * From here on nothing is left out unsaid.
   *
   * @param time what happened before is in the listing
   */
  record Following(String type, Instant time) {}

  /** A connection that has begun, was refused, or has ended. */
  record Line(String type, Connection connection) {}

  /** The caller was too slow for so many. */
  record Missed(String type, long count) {}
}
