package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.server.config.ConfigException;
import dev.atoll.server.mcp.McpService;
import java.net.BindException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for HTTP/1.1 and cleartext HTTP/2 on one port. Every request has a virtual thread; a
 * handful of platform threads wait for the network.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
  private static final int PLATFORM_THREADS = 16;
  private static final int HEADER_BYTES = 16 << 10;
  private static final int MAX_TEXT_FRAME = 1024;
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(2);

  /** How long a connection may be silent once the port is closed. */
  private static final Duration LAST_WORDS = Duration.ofMillis(100);

  private final HttpConfig config;
  private final Server server;
  private final ServerConnector connector;
  private final Shutdown shutdown;

  private HttpServer(HttpConfig config, Handler handler, Shutdown shutdown) {
    this.config = config;
    this.shutdown = shutdown;
    this.server = new Server(threads());
    this.connector = connector(server, config);
    server.addConnector(connector);
    server.setErrorHandler(new JettyErrors(config));
    server.setHandler(handler);
    server.setStopTimeout(STOP_PATIENCE.toMillis());
    ServerWebSocketContainer sockets = ServerWebSocketContainer.ensure(server);
    sockets.setMaxTextMessageSize(MAX_TEXT_FRAME);
    sockets.setIdleTimeout(config.idleTimeout());
  }

  /** Starts to serve the native API. */
  public static HttpServer start(
      HttpConfig config,
      Engine engine,
      McpService mcp,
      Metrics metrics,
      String version,
      Instant startedAt) {
    Shutdown shutdown = new Shutdown();
    McpHandler agents = new McpHandler(mcp.sessions(), new AllowedHosts(config), shutdown);
    Router router =
        new Router(new ApiRoutes(engine, agents, metrics, shutdown).all(version, startedAt));
    Authentication keys =
        new Authentication(
            key -> engine.keys().ownerOf(key),
            url -> engine.fileUrls().admit(url.claim(), url.signature()));
    Handler api =
        new ApiHandler(
            config, router, keys, metrics, shutdown, project -> engine.quotas().admit(project));
    return start(
        config,
        new PortHandler(api, config, engine.ports(), engine.services(), keys, metrics, shutdown),
        shutdown);
  }

  static HttpServer start(
      HttpConfig config, Router router, Authentication keys, Metrics metrics, Shutdown shutdown) {
    return start(
        config, new ApiHandler(config, router, keys, metrics, shutdown, _ -> {}), shutdown);
  }

  private static HttpServer start(HttpConfig config, Handler handler, Shutdown shutdown) {
    HttpServer server = new HttpServer(config, handler, shutdown);
    try {
      server.server.start();
      return server;
    } catch (Exception e) {
      server.close();
      Throwable reason = e.getCause() instanceof BindException taken ? taken : e;
      throw new ConfigException(
          "cannot listen on %s:%d: %s; if another program has the port, set server.port (ATOLL_SERVER_PORT) to another one, or to 0 for any"
              .formatted(config.host(), config.port(), reason.getMessage()),
          e);
    }
  }

  /** Where this server can be reached. */
  public URI url() {
    String host = config.host().contains(":") ? "[" + config.host() + "]" : config.host();
    return URI.create("http://" + host + ":" + connector.getLocalPort());
  }

  /** Takes no more work and waits a little for streams to end; answers still go out. */
  public void beginShutdown() {
    shutdown.begin();
    shutdown.awaitStreams(STOP_PATIENCE);
  }

  @Override
  public void close() {
    shutdown.begin();
    shutdown.awaitCalls(STOP_PATIENCE);
    try {
      server.stop();
    } catch (TimeoutException e) {
      log.debug("somebody kept a connection to the end", e);
    } catch (Exception e) {
      throw new IllegalStateException("the HTTP server did not stop", e);
    }
  }

  private static QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(PLATFORM_THREADS, 4);
    threads.setName("http");
    threads.setDaemon(true);
    threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("http-"));
    return threads;
  }

  private static ServerConnector connector(Server server, HttpConfig config) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setMaxResponseHeaderSize(2 * PortAnswer.MAX_HEAD);
    // Paths are compared as they come, and those of programs behind ports are passed on so.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "as it comes",
            UriCompliance.AMBIGUOUS_VIOLATIONS.toArray(UriCompliance.Violation[]::new)));
    ServerConnector connector =
        new ServerConnector(
            server, 1, 1, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
    connector.setHost(config.host());
    connector.setPort(config.port());
    connector.setIdleTimeout(config.idleTimeout().toMillis());
    connector.setShutdownIdleTimeout(LAST_WORDS.toMillis());
    connector.setAcceptedTcpNoDelay(true);
    return connector;
  }
}
