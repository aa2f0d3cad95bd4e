package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.BuildEvent;
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
    String reference = TemplateOperations.reference(exchange);
    // An unknown name is an error answer, which a stream could no longer give.
    engine.templates().get(exchange.project(), reference);
    BlockingQueue<BuildEvent> lines = new LinkedBlockingQueue<>(MAX_LINES);
    Thread.ofVirtual()
        .name("template-build-" + reference)
        .start(() -> lines.add(build(exchange, reference, lines)));
    try (Shutdown.Stream _ = shutdown.stream()) {
      stream(exchange, lines);
    }
  }

  private BuildEvent build(Exchange exchange, String reference, BlockingQueue<BuildEvent> lines) {
    try {
      return new BuildEvent.BuildReady(
          engine
              .templates()
              .build(
                  exchange.project(),
                  reference,
                  event -> {
                    // A caller who does not read loses lines; the last place is for the end.
                    if (lines.remainingCapacity() > 1) {
                      lines.add(event);
                    }
                  }));
    } catch (RuntimeException failure) {
      return new BuildEvent.BuildFailed(ErrorRenderer.body(failure, exchange.requestId()));
    }
  }

  private void stream(Exchange exchange, BlockingQueue<BuildEvent> lines)
      throws IOException, InterruptedException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    Silence silence = new Silence(exchange.config().pingInterval());
    boolean ended = false;
    while (!ended && !shutdown.begun()) {
      BuildEvent line = lines.poll(Shutdown.TICK.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null && silence.tooLong()) {
        line = new BuildEvent.Ping();
      }
      while (line != null) {
        writer.add(line);
        ended = line.last();
        line = lines.poll();
        silence.broken();
      }
      if (!ended) {
        writer.flush();
      }
    }
    writer.end();
  }
}
