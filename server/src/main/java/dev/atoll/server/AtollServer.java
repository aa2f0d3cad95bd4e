package dev.atoll.server;

import dev.atoll.driver.Driver;
import dev.atoll.engine.Engine;
import dev.atoll.server.http.HttpServer;
import dev.atoll.server.http.Metrics;
import dev.atoll.server.mcp.McpService;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server: the lock, the engine, HTTP, and the file that tells where it is. */
final class AtollServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AtollServer.class);

  private final Path dataDirectory;
  private final DataDirectoryLock lock;
  private final Engine engine;
  private final Metrics metrics;
  private final McpService mcp;
  private final HttpServer http;

  private AtollServer(
      Path dataDirectory,
      DataDirectoryLock lock,
      Engine engine,
      Metrics metrics,
      McpService mcp,
      HttpServer http) {
    this.dataDirectory = dataDirectory;
    this.lock = lock;
    this.engine = engine;
    this.metrics = metrics;
    this.mcp = mcp;
    this.http = http;
  }

  /** Starts everything, or nothing: what was opened is closed again when a later step fails. */
  static AtollServer start(ServerConfig config, List<Driver> drivers) {
    return start(
        config, drivers, engine -> new McpService(engine, config.mcp(), Version.current()));
  }

  /** The same with a server of the Model Context Protocol of the caller's making. */
  static AtollServer start(
      ServerConfig config, List<Driver> drivers, Function<Engine, McpService> assistants) {
    Instant startedAt = Instant.now();
    Path data = config.storage().dataDirectory();
    DataDirectoryLock lock = DataDirectoryLock.acquire(data);
    Engine engine = null;
    Metrics metrics = null;
    McpService mcp = null;
    try {
      SqliteLibrary.prepare(data);
      engine = Engine.open(config.engine(), drivers);
      Path adminKey = AdminKey.ensure(data, engine.keys());
      metrics =
          new Metrics(
              List.of(
                  new MemoryMeters(),
                  new SandboxGauges(engine.sandboxes()),
                  new PoolMeters(engine.pools()),
                  new NetworkMeters(engine.connections()),
                  new PackageMeters(engine.network()),
                  new PortMeters(engine.ports()),
                  new ServiceMeters(engine.services()),
                  new QuotaMeters(engine.quotas())));
      mcp = assistants.apply(engine);
      HttpServer http =
          HttpServer.start(config.http(), engine, mcp, metrics, Version.current(), startedAt);
      new ServerFile(
              http.url(), ProcessHandle.current().pid(), Version.current(), startedAt, adminKey)
          .write(data);
      return new AtollServer(data, lock, engine, metrics, mcp, http);
    } catch (RuntimeException e) {
      if (mcp != null) {
        mcp.close();
      }
      if (metrics != null) {
        metrics.close();
      }
      if (engine != null) {
        engine.close();
      }
      lock.close();
      throw e;
    }
  }

  Engine engine() {
    return engine;
  }

  URI url() {
    return http.url();
  }

  /**
   * Stops in the order in which callers notice least: no new work, streams end, waiting calls are
   * answered because the engine lets go of their runs, then the port closes. Sandboxes live on.
   */
  @Override
  public void close() {
    ServerFile.remove(dataDirectory);
    attempt("streams", http::beginShutdown);
    attempt("sessions of agents", mcp::close);
    attempt("engine", engine::close);
    attempt("HTTP", http::close);
    attempt("metrics", metrics::close);
    lock.close();
  }

  private static void attempt(String what, Runnable stop) {
    long begun = System.nanoTime();
    try {
      stop.run();
      log.debug("{} stopped after {} ms", what, (System.nanoTime() - begun) / 1_000_000);
    } catch (RuntimeException e) {
      log.error("{} did not stop cleanly", what, e);
    }
  }
}
