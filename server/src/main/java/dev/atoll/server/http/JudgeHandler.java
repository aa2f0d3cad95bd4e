package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.program.Judging;
import dev.atoll.model.JudgeEvent;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * {@code POST /v1/judge} and {@code POST /v1/sandboxes/{sb}/judge}: judges a program, in a sandbox
 * of its own or in one that is there.
 */
final class JudgeHandler implements Operation {
  private final Opening opening;
  private final Shutdown shutdown;

  /** Where a program is judged. */
  private interface Opening {
    Judging open(Exchange exchange, JudgeRequest request);
  }

  private JudgeHandler(Opening opening, Shutdown shutdown) {
    this.opening = opening;
    this.shutdown = shutdown;
  }

  static JudgeHandler inOwnSandbox(Engine engine, Shutdown shutdown) {
    return new JudgeHandler(
        (exchange, request) -> engine.programs().judge(exchange.project(), request), shutdown);
  }

  static JudgeHandler inSandbox(Engine engine, Shutdown shutdown) {
    return new JudgeHandler(
        (exchange, request) ->
            engine.programs().judge(exchange.project(), exchange.sandbox(), request),
        shutdown);
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    JudgeRequest request = exchange.body(JudgeRequest.class);
    if (exchange.wantsStream()) {
      stream(exchange, request);
    } else {
      Judging judging = opening.open(exchange, request);
      new AwaitedAnswer(exchange).send(() -> judge(judging), judging::close);
    }
  }

  private static JudgeResult judge(Judging judging) {
    try (judging) {
      return judging.judge();
    }
  }

  private void stream(Exchange exchange, JudgeRequest request)
      throws IOException, InterruptedException {
    try (Judging judging = opening.open(exchange, request)) {
      new TaskFeed(exchange, shutdown)
          .send(
              line -> judge(judging, line, exchange.requestId()),
              new JudgeEvent.Alive(),
              judging::close);
    }
  }

  private static void judge(Judging judging, Consumer<Object> line, String requestId) {
    try {
      judging.judge(line::accept);
    } catch (RuntimeException failure) {
      line.accept(new JudgeEvent.Broken(ErrorRenderer.body(failure, requestId)));
    }
  }
}
