package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.service.ServiceLog;
import dev.atoll.model.ServiceLogLine;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * {@code GET /v1/services/{name}/logs}: what the instances of a service have written, and with
 * {@code follow} what they write.
 */
final class ServiceLogHandler implements Operation {
  private static final int TAIL = 100;
  private static final int LONGEST_TAIL = 10_000;

  private final Engine engine;
  private final Shutdown shutdown;

  ServiceLogHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  /** A line of the log. */
  record Line(String type, ServiceLogLine line) {}

  @Override
  public void handle(Exchange exchange) throws IOException {
    boolean follow = exchange.query().flag("follow", false);
    int tail = (int) exchange.query().number("tail", TAIL, 0, LONGEST_TAIL);
    ServiceLog.Reader log =
        engine.services().log(exchange.project(), exchange.path("name")).read(tail);
    try (Shutdown.Stream _ = shutdown.stream()) {
      NdjsonWriter writer = new NdjsonWriter(exchange);
      writer.add(new WatchFilesHandler.Mark("following"));
      if (follow) {
        writer.flush();
        follow(exchange, log, writer);
      } else {
        all(log, writer);
      }
      writer.end();
    }
  }

  private static void all(ServiceLog.Reader log, NdjsonWriter writer) throws IOException {
    List<ServiceLogLine> lines = log.next(Duration.ZERO);
    while (!lines.isEmpty()) {
      lines.forEach(line -> writer.add(new Line("line", line)));
      writer.flush();
      lines = log.next(Duration.ZERO);
    }
  }

  private void follow(Exchange exchange, ServiceLog.Reader log, NdjsonWriter writer)
      throws IOException {
    String name = exchange.path("name");
    Silence silence = new Silence(exchange.config().pingInterval());
    while (!shutdown.begun()) {
      List<ServiceLogLine> lines = log.next(silence.atMost(Shutdown.TICK));
      lines.forEach(line -> writer.add(new Line("line", line)));
      if (!lines.isEmpty()) {
        silence.broken();
      } else if (silence.tooLong()) {
        // A service that is deleted has nothing more to say.
        engine.services().idOf(exchange.project(), name);
        writer.add(new WatchFilesHandler.Mark("ping"));
        silence.broken();
      }
      writer.flush();
    }
  }
}
