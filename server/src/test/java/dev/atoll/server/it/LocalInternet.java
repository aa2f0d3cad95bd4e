package dev.atoll.server.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * What stands for the internet in tests: web servers on an address of this host's loopback network
 * that nothing else uses, and names for it. It needs no network at all, and leaves nothing behind.
 * The server under test may reach the address because its administrator says so.
 */
public final class LocalInternet implements AutoCloseable {
  static final int HTTP = 80;
  static final int HTTPS = 443;
  static final int OTHER_HTTP = 8080;
  static final int OTHER_HTTPS = 8443;
  private static final int BLOCK = 1 << 20;

  private final InetAddress address;
  private final Path hosts = Files.createTempFile("atoll-hosts", "");
  private final Map<String, List<String>> names = new TreeMap<>();
  private final Map<String, Page> pages = new TreeMap<>();
  private final List<HttpServer> servers = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private volatile boolean off;

  /** What is at a path, made for the address that it was asked for under. */
  interface Page {
    byte[] at(String base) throws IOException;
  }

  public LocalInternet() throws IOException {
    address = unused();
    serve(HTTP);
    serve(OTHER_HTTP);
  }

  /** An address of loopback for this process alone: others may run the same tests. */
  static InetAddress unused() throws IOException {
    long pid = ProcessHandle.current().pid();
    // Ids of processes have at most 22 bits.
    return InetAddress.getByAddress(
        new byte[] {127, (byte) (64 + (pid >> 16)), (byte) (pid >> 8), (byte) pid});
  }

  /** Serves TLS too. */
  LocalInternet with(SSLContext tls) throws IOException {
    for (int port : List.of(HTTPS, OTHER_HTTPS)) {
      HttpsServer server = HttpsServer.create(new InetSocketAddress(address, port), 200);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      start(server, "https");
    }
    return this;
  }

  private void serve(int port) throws IOException {
    start(HttpServer.create(new InetSocketAddress(address, port), 200), "http");
  }

  private void start(HttpServer server, String scheme) {
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, scheme));
    server.start();
    servers.add(server);
  }

  private void answer(HttpExchange exchange, String scheme) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().normalize().getPath();
      if (off) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      if (path.equals("/big")) {
        big(exchange);
        return;
      }
      Page page =
          path.equals("/")
              ? _ -> ("hello " + body.length).getBytes(StandardCharsets.UTF_8)
              : pages.get(path);
      String base = scheme + "://" + exchange.getRequestHeaders().getFirst("Host");
      byte[] content = page == null ? new byte[0] : page.at(base);
      boolean empty = content.length == 0 || exchange.getRequestMethod().equals("HEAD");
      exchange.getResponseHeaders().set("Content-Type", type(path));
      exchange.sendResponseHeaders(page == null ? 404 : 200, empty ? -1 : content.length);
      if (!empty) {
        exchange.getResponseBody().write(content);
      }
    }
  }

  /** Long enough to be still under way when something happens to who fetches it. */
  private static void big(HttpExchange exchange) throws IOException {
    byte[] block = new byte[BLOCK];
    exchange.sendResponseHeaders(200, bigBytes());
    for (long sent = 0; sent < bigBytes(); sent += BLOCK) {
      exchange.getResponseBody().write(block);
    }
  }

  static long bigBytes() {
    return 64L * BLOCK;
  }

  private static String type(String path) {
    return path.endsWith("/") ? "text/html" : "application/octet-stream";
  }

  void page(String path, Page page) {
    pages.put(path, page);
  }

  void page(String path, byte[] content) {
    pages.put(path, _ -> content);
  }

  void page(String path, String content) {
    page(path, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Has everything below a path answered by somebody else. */
  void handle(String path, HttpHandler handler) {
    servers.forEach(server -> server.createContext(path, handler));
  }

  /** Whether nothing is answered any more. */
  void off(boolean isOff) {
    off = isOff;
  }

  /** Something on another port that says nothing, but notes what it is told. */
  Trap trap(int port) throws IOException {
    return new Trap(address, port);
  }

  /** Makes names lead here. */
  public LocalInternet named(String... more) throws IOException {
    for (String name : more) {
      name(name, address());
    }
    return this;
  }

  /** Makes a name stand for other addresses from now on. */
  void name(String name, String... addresses) throws IOException {
    names.put(name, List.of(addresses));
    StringBuilder text = new StringBuilder();
    names.forEach(
        (n, all) -> all.forEach(one -> text.append(one).append(' ').append(n).append('\n')));
    Path aside = Files.writeString(hosts.resolveSibling(hosts.getFileName() + ".new"), text);
    Files.move(aside, hosts, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  String address() {
    return address.getHostAddress();
  }

  /** The file that says what names stand for. */
  public Path hosts() {
    return hosts;
  }

  /** What lets a server's sandboxes come here. */
  public String reachable() {
    return "--network.reachable=" + address();
  }

  @Override
  public void close() throws IOException {
    servers.forEach(server -> server.stop(0));
    threads.close();
    Files.deleteIfExists(hosts);
  }
}
