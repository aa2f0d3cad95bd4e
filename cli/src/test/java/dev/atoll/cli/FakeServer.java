package dev.atoll.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.atoll.model.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on loopback that answers as it is told, and remembers what it was asked. */
final class FakeServer implements AutoCloseable {
  static {
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** Answers one request. */
  interface Handler {
    void handle(HttpExchange exchange) throws IOException;
  }

  /** What a request was. */
  record Seen(String target, Map<String, List<String>> headers, String body) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  FakeServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::dispatch);
    server.start();
  }

  /** The handler of a method and path such as {@code GET /v1/server}, without the query. */
  FakeServer on(String methodAndPath, Handler handler) {
    handlers.put(methodAndPath, handler);
    return this;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Seen> seen() {
    return seen;
  }

  List<String> targets() {
    return seen.stream().map(Seen::target).toList();
  }

  static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("X-Request-Id", "req_1");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  static void error(HttpExchange exchange, int status, String code) throws IOException {
    Map<String, Object> body =
        Map.of("code", code, "message", "it is " + code, "hint", "do better", "requestId", "req_1");
    answer(exchange, status, Json.lenient().writeValueAsString(body));
  }

  /** Sends lines of a stream and leaves it open. */
  static void lines(HttpExchange exchange, String... lines) throws IOException {
    if (exchange.getResponseCode() < 0) {
      exchange.sendResponseHeaders(200, 0);
    }
    for (String line : lines) {
      exchange.getResponseBody().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void dispatch(HttpExchange exchange) throws IOException {
    byte[] bytes = exchange.getRequestBody().readAllBytes();
    // Handlers may read it once more.
    exchange.setStreams(new ByteArrayInputStream(bytes), null);
    String body = new String(bytes, StandardCharsets.UTF_8);
    String target = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    seen.add(new Seen(target, Map.copyOf(exchange.getRequestHeaders()), body));
    String key = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
    Handler handler = handlers.get(key);
    if (handler == null) {
      error(exchange, 404, "not_found");
    } else {
      handler.handle(exchange);
    }
  }
}
