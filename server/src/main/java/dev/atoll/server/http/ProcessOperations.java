package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Run;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.Page;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.SignalRequest;
import dev.atoll.model.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;

/** The operations on background processes, and on runs by their id. */
final class ProcessOperations {
  private static final int PIECE = 32 << 10;
  private static final double DEFAULT_WAIT = 30;
  private static final double MAX_WAIT = 3600;

  private final Engine engine;

  ProcessOperations(Engine engine) {
    this.engine = engine;
  }

  void start(Exchange exchange) {
    String sandbox = exchange.sandbox();
    CommandRequest request = exchange.body(CommandRequest.class);
    ProcessInfo process =
        engine.sandboxes().startProcess(exchange.project(), sandbox, request).info();
    exchange
        .response()
        .getHeaders()
        .put(HttpHeader.LOCATION, "/v1/sandboxes/" + sandbox + "/processes/" + process.id());
    exchange.json(201, process);
  }

  void list(Exchange exchange) {
    exchange.json(
        200,
        new Page<>(engine.sandboxes().processes(exchange.project(), exchange.sandbox()), null));
  }

  void get(Exchange exchange) {
    exchange.json(200, run(exchange).info());
  }

  void forget(Exchange exchange) {
    engine.sandboxes().forget(exchange.project(), exchange.sandbox(), exchange.path("run"));
    exchange.noContent();
  }

  void cancel(Exchange exchange) {
    engine.sandboxes().cancel(exchange.project(), exchange.sandbox(), exchange.path("run"));
    exchange.noContent();
  }

  /** The body may hold a password. */
  void answer(Exchange exchange) {
    InputAnswer answer = exchange.body(InputAnswer.class);
    run(exchange).answer(answer);
    exchange.noContent();
  }

  void signal(Exchange exchange) {
    Run run = run(exchange);
    SignalRequest request = exchange.body(SignalRequest.class);
    run.signal(Signals.number(request.signal()), Boolean.TRUE.equals(request.tree()));
    exchange.noContent();
  }

  void resize(Exchange exchange) {
    Run run = run(exchange);
    run.resize(exchange.body(TerminalSize.class));
    exchange.noContent();
  }

  void await(Exchange exchange) {
    double seconds = exchange.query().seconds("timeoutSeconds", DEFAULT_WAIT, MAX_WAIT);
    Run run = run(exchange);
    boolean ended = run.await(Duration.ofMillis(Math.round(seconds * 1000)));
    ProcessInfo process = run.info();
    if (ended && process.running()) {
      throw new IllegalStateException("run " + run.id() + " ended and runs");
    }
    exchange.json(200, process);
  }

  /** Passes the body on piece by piece; the process sets the pace. */
  void writeStdin(Exchange exchange) throws IOException {
    boolean eof = exchange.query().flag("eof", false);
    Run run = run(exchange);
    try (InputStream input = exchange.input()) {
      byte[] piece = new byte[PIECE];
      for (int length = input.read(piece); length >= 0; length = input.read(piece)) {
        run.writeStdin(piece, 0, length);
      }
    }
    if (eof) {
      run.closeStdin();
    }
    exchange.noContent();
  }

  private Run run(Exchange exchange) {
    return engine.sandboxes().run(exchange.project(), exchange.sandbox(), exchange.path("run"));
  }
}
