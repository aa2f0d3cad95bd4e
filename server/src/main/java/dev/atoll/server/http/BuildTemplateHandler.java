package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.TemplateInfo;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * {@code POST /v1/templates/{name}/build}: builds a template and tells how it goes.
 *
 * <p>The build has a thread of its own, so that it goes on when the caller leaves, and so that this
 * one can send pings while a long step says nothing.
 */
final class BuildTemplateHandler implements Operation {
  private static final int MAX_LINES = 10_000;

  private final Engine engine;
  private final Shutdown shutdown;

  BuildTemplateHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    String name = exchange.path("name");
    // An unknown name is an error answer, which a stream could no longer give.
    engine.templates().get(name);
    BlockingQueue<Line> lines = new LinkedBlockingQueue<>(MAX_LINES);
    Thread.ofVirtual()
        .name("template-build-" + name)
        .start(() -> lines.add(build(name, lines, exchange.requestId())));
    try (Shutdown.Stream _ = shutdown.stream()) {
      stream(exchange, lines);
    }
  }

  private Line build(String name, BlockingQueue<Line> lines, String requestId) {
    try {
      TemplateInfo template =
          engine
              .templates()
              .build(
                  name,
                  message -> {
                    // A caller who does not read loses lines; the last place is for the end.
                    if (lines.remainingCapacity() > 1) {
                      lines.add(new Progress("progress", message));
                    }
                  });
      return new Ready("ready", template);
    } catch (RuntimeException failure) {
      return new Failed("failed", ErrorRenderer.body(failure, requestId));
    }
  }

  private void stream(Exchange exchange, BlockingQueue<Line> lines)
      throws IOException, InterruptedException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    Silence silence = new Silence(exchange.config().pingInterval());
    boolean ended = false;
    while (!ended && !shutdown.begun()) {
      Line line = lines.poll(Shutdown.TICK.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null && silence.tooLong()) {
        line = new Ping("ping");
      }
      while (line != null) {
        writer.add(line);
        ended = line instanceof Ready || line instanceof Failed;
        line = lines.poll();
        silence.broken();
      }
      if (!ended) {
        writer.flush();
      }
    }
    writer.end();
  }

  /** A line of the stream. */
  sealed interface Line {}

  record Progress(String type, String message) implements Line {}

  record Ping(String type) implements Line {}

  record Ready(String type, TemplateInfo template) implements Line {}

  record Failed(String type, ErrorBody error) implements Line {}
}
