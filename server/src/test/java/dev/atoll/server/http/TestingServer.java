package dev.atoll.server.http;

import dev.atoll.engine.KeyOwner;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A real Jetty on a free port, with the routes that a test needs and keys of two projects. */
final class TestingServer implements AutoCloseable {
  static final String KEY = "e2b_alpha";
  static final HttpConfig CONFIG =
      new HttpConfig(
          "127.0.0.1",
          0,
          1 << 20,
          List.of(),
          false,
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          PortDomain.parse("localhost"));

  final Shutdown shutdown = new Shutdown();
  final Metrics metrics = new Metrics(List.of());
  private final HttpServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  TestingServer(HttpConfig config, Route... routes) {
    Map<String, KeyOwner> owners =
        Map.of(KEY, new KeyOwner("alpha", false), "e2b_beta", new KeyOwner("beta", false));
    server =
        HttpServer.start(
            config,
            new Router(List.of(routes)),
            new Authentication(owners::get),
            metrics,
            shutdown);
  }

  TestingServer(Route... routes) {
    this(CONFIG, routes);
  }

  URI url(String path) {
    return URI.create(server.url() + path);
  }

  int port() {
    return server.url().getPort();
  }

  HttpClient client() {
    return client;
  }

  HttpServer http() {
    return server;
  }

  /** A request with the key. */
  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(url(path)).header("Authorization", "Bearer " + KEY);
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(request(path));
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<InputStream> stream(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
  }

  /** Sends bytes as they are and reads until the server closes. */
  String raw(String request) throws IOException {
    return raw(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  String raw(byte[] request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  static ErrorBody error(HttpResponse<String> response) {
    return Json.lenient().readValue(response.body(), ErrorBody.class);
  }

  static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Override
  public void close() {
    client.close();
    server.close();
    metrics.close();
  }
}
