package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.NetworkPolicy;

/** What holds for all sandboxes of a project; others than one's own are for administrators. */
final class ProjectOperations {
  private final Engine engine;

  ProjectOperations(Engine engine) {
    this.engine = engine;
  }

  void network(Exchange exchange) {
    String project = exchange.path("project");
    if (!project.equals(exchange.project())) {
      exchange.administratorsOnly();
    }
    exchange.json(200, engine.network().project(project));
  }

  void setCeiling(Exchange exchange) {
    exchange.administratorsOnly();
    NetworkPolicy ceiling = exchange.body(NetworkPolicy.class);
    exchange.json(200, engine.network().ceiling(exchange.path("project"), ceiling));
  }

  void resetCeiling(Exchange exchange) {
    exchange.administratorsOnly();
    exchange.json(200, engine.network().ceiling(exchange.path("project"), null));
  }
}
