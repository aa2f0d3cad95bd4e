package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.service.Services;
import dev.atoll.model.DeployEvent;
import dev.atoll.model.ServiceSpec;
import java.io.IOException;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;

/**
 * {@code POST /v1/services}: deploys a service, and tells how it goes if the caller wants a stream.
 * A deployment goes on when its caller leaves.
 */
final class DeployHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  DeployHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    ServiceSpec spec = exchange.body(ServiceSpec.class);
    String project = exchange.project();
    if (exchange.wantsStream()) {
      new TaskFeed(exchange, shutdown)
          .send(
              lines -> lines.accept(deploy(exchange, project, spec, lines)),
              new DeployEvent.DeployPing(),
              () -> {});
      return;
    }
    Services.Deployed done = engine.services().deploy(project, spec, event -> {});
    exchange
        .response()
        .getHeaders()
        .put(HttpHeader.LOCATION, "/v1/services/" + done.service().name());
    exchange.json(done.created() ? 201 : 200, ServiceOperations.located(exchange, done.service()));
  }

  private DeployEvent deploy(
      Exchange exchange, String project, ServiceSpec spec, Consumer<Object> lines) {
    try {
      Services.Deployed done = engine.services().deploy(project, spec, lines::accept);
      return new DeployEvent.Deployed(ServiceOperations.located(exchange, done.service()));
    } catch (RuntimeException failure) {
      return new DeployEvent.DeployFailed(ErrorRenderer.body(failure, exchange.requestId()));
    }
  }
}
