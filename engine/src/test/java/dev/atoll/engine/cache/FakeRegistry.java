package dev.atoll.engine.cache;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A registry on loopback that can be switched off, and that remembers what it was asked. */
final class FakeRegistry implements AutoCloseable, Upstreams {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Page> pages = new ConcurrentHashMap<>();
  final List<String> asked = new CopyOnWriteArrayList<>();

  /** Holds back the second half of bodies until it is open. */
  volatile @Nullable CountDownLatch gate;

  volatile boolean off;

  /** What is asked for so cannot be answered. */
  volatile String failing = "";

  volatile List<String> goProxies = List.of("/go");
  volatile @Nullable GoSums goSums;

  /** What was sent, by its path. */
  final Map<String, String> sent = new ConcurrentHashMap<>();

  /** Statuses other than 200, by path. */
  final Map<String, Integer> statuses = new ConcurrentHashMap<>();

  volatile String forbidden = "";

  @SuppressWarnings("ArrayRecordComponent")
  private record Page(String type, byte[] body) {}

  FakeRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getRawPath();
      String tag = exchange.getRequestHeaders().getFirst("If-None-Match");
      String query = exchange.getRequestURI().getRawQuery();
      if (exchange.getRequestMethod().equals("POST")) {
        byte[] body = exchange.getRequestBody().readAllBytes();
        sent.put(path, new String(body, StandardCharsets.ISO_8859_1));
      }
      if (query != null) {
        sent.put(path, query);
      }
      asked.add(path + (tag == null ? "" : " if not " + tag));
      boolean fails = off || (!failing.isEmpty() && path.endsWith(failing));
      Page page = pages.get(path);
      if (fails) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      if (page == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String etag =
          "\"" + Digests.sha256(new String(page.body(), StandardCharsets.ISO_8859_1)) + "\"";
      exchange.getResponseHeaders().set("ETag", etag);
      exchange.getResponseHeaders().set("Content-Type", page.type());
      if (etag.equals(tag)) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
      exchange.sendResponseHeaders(statuses.getOrDefault(path, 200), page.body().length);
      send(exchange, page.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
    int half = body.length / 2;
    exchange.getResponseBody().write(body, 0, half);
    exchange.getResponseBody().flush();
    CountDownLatch closed = gate;
    if (closed != null) {
      closed.await();
    }
    exchange.getResponseBody().write(body, half, body.length - half);
  }

  void page(String path, String type, byte[] body) {
    pages.put(path, new Page(type, body));
  }

  void page(String path, String type, String body) {
    page(path, type, body.getBytes(StandardCharsets.UTF_8));
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  long times(String path) {
    return asked.stream().filter(path::equals).count();
  }

  @Override
  public List<URI> pip() {
    return List.of(uri("/simple/"));
  }

  @Override
  public List<URI> npm() {
    return List.of(uri("/npm"));
  }

  @Override
  public List<URI> apt() {
    return List.of(uri("/debian"));
  }

  @Override
  public List<URI> maven() {
    return List.of(uri("/maven2"));
  }

  @Override
  public List<URI> go() {
    return goProxies.stream().map(this::uri).toList();
  }

  @Override
  public @Nullable GoSums goSums() {
    return goSums;
  }

  @Override
  public List<URI> cargo() {
    return List.of(uri("/index/"));
  }

  /** Straight to where it goes, but for what is forbidden: there is nobody on that way. */
  @Override
  public RegistryWay way() {
    return new RegistryWay() {
      @Override
      public ProxySelector proxy() {
        return new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            return List.of(isForbidden(uri) ? new Proxy(Proxy.Type.HTTP, nobody) : Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        };
      }

      @Override
      public @Nullable String trouble(URI address) {
        return isForbidden(address) ? "it is forbidden" : null;
      }
    };
  }

  private boolean isForbidden(URI address) {
    return !forbidden.isEmpty() && address.toString().contains(forbidden);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
