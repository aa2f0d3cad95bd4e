package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.program.OneShot;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.util.function.Consumer;

/** {@code POST /v1/execute}: runs a program once, in a sandbox that is gone afterwards. */
final class ExecuteHandler implements Operation {
  private final Engine engine;
  private final Metrics metrics;
  private final Shutdown shutdown;

  ExecuteHandler(Engine engine, Metrics metrics, Shutdown shutdown) {
    this.engine = engine;
    this.metrics = metrics;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    ExecuteRequest request = exchange.body(ExecuteRequest.class);
    if (exchange.wantsStream()) {
      stream(exchange, request);
    } else {
      answer(exchange, request);
    }
  }

  private void answer(Exchange exchange, ExecuteRequest request)
      throws IOException, InterruptedException {
    OneShot program = engine.programs().open(exchange.project(), request);
    new AwaitedAnswer(exchange).send(() -> run(program, exchange.memory()), program::close);
  }

  private ExecuteResult run(OneShot program, BudgetAccount memory) {
    // The sandbox ends before the answer: whoever has it knows that nothing is left.
    try (program) {
      ExecuteResult result = program.execute(memory);
      // The engine has let go of the run, which is not its end.
      if (result.status() == RunStatus.SANDBOX_DIED) {
        shutdown.check();
      }
      metrics.runEnded("execute", result.status(), result.durationMillis());
      return result;
    }
  }

  private void stream(Exchange exchange, ExecuteRequest request)
      throws IOException, InterruptedException {
    try (OneShot program = engine.programs().open(exchange.project(), request)) {
      new TaskFeed(exchange, shutdown)
          .send(
              line -> program.execute(event -> tell(line, event)),
              new RunEvent.Ping(),
              program::close);
    }
  }

  private void tell(Consumer<Object> line, RunEvent event) {
    if (event instanceof RunEvent.End end) {
      metrics.runEnded("execute", end.status(), end.durationMillis());
    }
    line.accept(event);
  }
}
