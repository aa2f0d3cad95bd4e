package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.SandboxQuery;
import dev.atoll.model.SandboxState;
import java.util.EnumSet;
import java.util.Set;

/** {@code GET /v1/sandboxes}: lists sandboxes, newest first. */
final class ListSandboxesHandler implements Operation {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 200;

  private final Engine engine;

  ListSandboxesHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    exchange.json(200, engine.sandboxes().list(exchange.project(), parse(exchange.query())));
  }

  static SandboxQuery parse(Query query) {
    return new SandboxQuery(
        (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        query.text("cursor"),
        states(query),
        query.text("name"),
        query.startingWith("metadata."));
  }

  private static Set<SandboxState> states(Query query) {
    return query.text("state") == null && query.flag("all", false)
        ? EnumSet.allOf(SandboxState.class)
        : query.choices("state", SandboxState.class, SandboxState::wire);
  }
}
