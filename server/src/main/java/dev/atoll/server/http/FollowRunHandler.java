package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Run;
import java.io.IOException;

/** {@code GET /v1/sandboxes/{sb}/runs/{run}/events}: follows a run that somebody started. */
final class FollowRunHandler implements Operation {
  private final Engine engine;
  private final RunAnswer answer;

  FollowRunHandler(Engine engine, RunAnswer answer) {
    this.engine = engine;
    this.answer = answer;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    long from = exchange.query().number("from", 0, 0, Long.MAX_VALUE);
    boolean holds = exchange.query().flag("hold", false);
    Run run = engine.sandboxes().run(exchange.project(), exchange.sandbox(), exchange.path("run"));
    if (holds) {
      answer.follow(exchange, run, from, null);
    } else {
      answer.lookOn(exchange, run, from);
    }
  }
}
