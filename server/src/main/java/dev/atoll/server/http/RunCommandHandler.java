package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.CommandRequest;
import java.io.IOException;

/** {@code POST /v1/sandboxes/{sb}/commands}: runs a program to its end. */
final class RunCommandHandler implements Operation {
  private final Engine engine;
  private final RunAnswer answer;

  RunCommandHandler(Engine engine, RunAnswer answer) {
    this.engine = engine;
    this.answer = answer;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String sandbox = exchange.sandbox();
    CommandRequest request = exchange.body(CommandRequest.class).followed();
    answer.send(
        exchange, engine.sandboxes().runCommand(exchange.project(), sandbox, request), "command");
  }
}
