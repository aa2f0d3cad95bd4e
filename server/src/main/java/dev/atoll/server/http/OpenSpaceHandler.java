package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Spaces;
import dev.atoll.model.SpaceRequest;

/** {@code POST /v1/spaces/{name}}: finds, wakes or makes the sandbox of that name. */
final class OpenSpaceHandler implements Operation {
  private static final SpaceRequest MUST_EXIST = new SpaceRequest(null);

  private final Engine engine;

  OpenSpaceHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    String name = exchange.path("name");
    SpaceRequest request = exchange.body(SpaceRequest.class, MUST_EXIST);
    Spaces.Opened opened = engine.spaces().open(exchange.project(), name, request.create());
    if (opened.created()) {
      exchange.created(opened.sandbox());
    } else {
      exchange.json(200, opened.sandbox());
    }
  }
}
