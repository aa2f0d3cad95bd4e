package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import dev.atoll.model.NetworkRuleRequest;
import java.util.function.UnaryOperator;

/** What a sandbox may reach: looked at, replaced, and changed rule by rule. */
final class NetworkOperations {
  private final Engine engine;

  NetworkOperations(Engine engine) {
    this.engine = engine;
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.sandboxes().network(exchange.project(), exchange.sandbox()));
  }

  void replace(Exchange exchange) {
    NetworkPolicy policy = exchange.body(NetworkPolicy.class);
    change(exchange, _ -> policy);
  }

  void allow(Exchange exchange) {
    NetworkRule rule = rule(exchange);
    change(exchange, policy -> policy.allowing(rule));
  }

  void deny(Exchange exchange) {
    NetworkRule rule = rule(exchange);
    change(exchange, policy -> policy.denying(rule));
  }

  void remove(Exchange exchange) {
    NetworkRule rule = rule(exchange);
    change(exchange, policy -> policy.without(rule));
  }

  private static NetworkRule rule(Exchange exchange) {
    return exchange.body(NetworkRuleRequest.class).rule();
  }

  private void change(Exchange exchange, UnaryOperator<NetworkPolicy> change) {
    exchange.json(200, engine.sandboxes().network(exchange.project(), exchange.sandbox(), change));
  }
}
