package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.RunCodeRequest;
import java.io.IOException;

/** {@code POST /v1/sandboxes/{sb}/code}: runs code in a language context. */
final class RunCodeHandler implements Operation {
  private final Engine engine;
  private final RunAnswer answer;

  RunCodeHandler(Engine engine, RunAnswer answer) {
    this.engine = engine;
    this.answer = answer;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String sandbox = exchange.sandbox();
    RunCodeRequest request = exchange.body(RunCodeRequest.class);
    answer.send(exchange, engine.sandboxes().runCode(exchange.project(), sandbox, request), "code");
  }
}
