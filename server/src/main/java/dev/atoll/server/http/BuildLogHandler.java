package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.template.BuildLog;
import java.io.IOException;

/** {@code GET /v1/templates/{name}/builds/{build}/logs}: what a build has said, and says. */
final class BuildLogHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  BuildLogHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    try (Shutdown.Stream _ = shutdown.stream();
        BuildLog.Reader log =
            engine
                .templateBuilds()
                .log(exchange.project(), exchange.path("name"), exchange.path("build"))) {
      new BuildStream(shutdown).send(exchange, log);
    }
  }
}
