package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.Page;
import dev.atoll.model.QuotaLimits;

/** How much projects may have: a key sees its own project's, and administrators set them. */
final class QuotaOperations {
  private final Engine engine;

  QuotaOperations(Engine engine) {
    this.engine = engine;
  }

  void own(Exchange exchange) {
    exchange.json(200, engine.quotas().info(exchange.project()));
  }

  void all(Exchange exchange) {
    exchange.administratorsOnly();
    exchange.json(200, new Page<>(engine.quotas().all(), null));
  }

  void get(Exchange exchange) {
    String project = exchange.path("project");
    if (!project.equals(exchange.project())) {
      exchange.administratorsOnly();
    }
    exchange.json(200, engine.quotas().info(project));
  }

  void set(Exchange exchange) {
    exchange.administratorsOnly();
    QuotaLimits limits = exchange.body(QuotaLimits.class);
    exchange.json(200, engine.quotas().set(exchange.path("project"), limits));
  }

  void clear(Exchange exchange) {
    exchange.administratorsOnly();
    exchange.json(200, engine.quotas().clear(exchange.path("project")));
  }
}
