package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.Page;
import dev.atoll.model.PortShare;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceShareRequest;
import dev.atoll.model.ServiceUpdate;

/** The operations on services, except for their deployment and their logs. */
final class ServiceOperations {
  private final Engine engine;

  ServiceOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(
        200,
        new Page<>(
            engine.services().list(exchange.project()).stream()
                .map(service -> located(exchange, service))
                .toList(),
            null));
  }

  void get(Exchange exchange) {
    exchange.json(
        200, located(exchange, engine.services().get(exchange.project(), name(exchange))));
  }

  void update(Exchange exchange) {
    ServiceUpdate update = exchange.body(ServiceUpdate.class);
    exchange.json(
        200,
        located(exchange, engine.services().update(exchange.project(), name(exchange), update)));
  }

  void delete(Exchange exchange) {
    engine.services().delete(exchange.project(), name(exchange));
    exchange.noContent();
  }

  void revisions(Exchange exchange) {
    exchange.json(
        200, new Page<>(engine.services().revisions(exchange.project(), name(exchange)), null));
  }

  void rollback(Exchange exchange) {
    exchange.json(
        200, located(exchange, engine.services().rollback(exchange.project(), name(exchange))));
  }

  void stop(Exchange exchange) {
    exchange.json(
        200, located(exchange, engine.services().stop(exchange.project(), name(exchange))));
  }

  void share(Exchange exchange) {
    ServiceShareRequest request =
        exchange.body(ServiceShareRequest.class, new ServiceShareRequest(null));
    String id = engine.services().idOf(exchange.project(), name(exchange));
    PortShare share = engine.services().share(exchange.project(), id, request.ttlSeconds());
    exchange.json(201, share.withUrl(PortAddress.url(exchange, id, share.token())));
  }

  void shares(Exchange exchange) {
    exchange.json(
        200, new Page<>(engine.services().shares(exchange.project(), name(exchange)), null));
  }

  void revoke(Exchange exchange) {
    engine.services().revoke(exchange.project(), name(exchange), exchange.path("id"));
    exchange.noContent();
  }

  private static String name(Exchange exchange) {
    return exchange.path("name");
  }

  /** The same with the address at which the caller reaches it. */
  static ServiceInfo located(Exchange exchange, ServiceInfo service) {
    return service.withUrl(PortAddress.url(exchange, service.id(), null));
  }
}
