package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Run;
import dev.atoll.engine.run.Ticket;
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
    RunCodeRequest request = exchange.body(RunCodeRequest.class).followed();
    answer.send(exchange, begin(exchange, sandbox, request), "code");
  }

  /** A caller who hangs up while he waits for his turn gives it up, unless it is to go on. */
  private Run begin(Exchange exchange, String sandbox, RunCodeRequest request) {
    Ticket ticket = new Ticket();
    try (CallerLine caller = new CallerLine(exchange)) {
      if (!Boolean.TRUE.equals(request.detached())) {
        caller.whenGone(ticket::cancel);
      }
      return engine.sandboxes().runCode(exchange.project(), sandbox, request, ticket);
    }
  }
}
