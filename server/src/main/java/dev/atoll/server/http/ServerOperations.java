package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ServerInfo;
import java.time.Instant;
import java.util.List;

/** What the server says about itself. */
final class ServerOperations {
  private static final String PLAIN = "text/plain;charset=utf-8";
  private static final String PROMETHEUS = "text/plain;version=0.0.4;charset=utf-8";

  private final Engine engine;
  private final Metrics metrics;
  private final Shutdown shutdown;
  private final String version;
  private final Instant startedAt;

  ServerOperations(
      Engine engine, Metrics metrics, Shutdown shutdown, String version, Instant startedAt) {
    this.engine = engine;
    this.metrics = metrics;
    this.shutdown = shutdown;
    this.version = version;
    this.startedAt = startedAt;
  }

  /** The process lives. */
  void healthy(Exchange exchange) {
    exchange.text(200, PLAIN, "ok");
  }

  /** The server can serve. */
  void ready(Exchange exchange) {
    shutdown.check();
    if (!engine.ready()) {
      throw new AtollException(
          ErrorCode.DRIVER_UNAVAILABLE,
          "the engine is not ready",
          "GET /v1/server says which drivers work on this host.");
    }
    exchange.text(200, PLAIN, "ok");
  }

  void metrics(Exchange exchange) {
    exchange.text(200, PROMETHEUS, metrics.scrape());
  }

  void info(Exchange exchange) {
    boolean fresh = exchange.query().flag("fresh", false);
    exchange.json(
        200,
        new ServerInfo(
            version,
            ProcessHandle.current().pid(),
            startedAt,
            fresh ? engine.freshDrivers() : engine.drivers(),
            engine.templates().list(exchange.project()),
            fresh ? engine.advice() : List.of()));
  }
}
