package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GuardedProxyTest {
  private final Resolver resolver =
      new Resolver(
          name ->
              List.of(
                  InetAddress.ofLiteral(
                      name.startsWith("meta") ? "169.254.169.254" : "127.0.0.1")));
  private HttpServer server;
  private String host;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestURI().toString().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    host = "127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    resolver.close();
  }

  private GuardedProxy proxy(String... plain) throws IOException {
    return new GuardedProxy(
        resolver,
        new StaggeredDialer(),
        ProxyGate.publicOr(Set.of(plain), new AddressGuard(List.of())),
        Duration.ofSeconds(10));
  }

  private static HttpResponse<String> get(GuardedProxy proxy, String uri)
      throws IOException, InterruptedException {
    try (HttpClient client =
        HttpClient.newBuilder()
            .proxy(
                ProxySelector.of(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())))
            .build()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofSeconds(30)).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void aHostThatIsNamedIsReachedWithoutTls() throws Exception {
    try (GuardedProxy proxy = proxy(host)) {
      assertThat(get(proxy, "http://" + host + "/a/b?c=d").body()).isEqualTo("/a/b?c=d");
      assertThat(get(proxy, "http://" + host).body()).isEqualTo("/");
      assertThat(proxy.refused()).isEmpty();
    }
  }

  @Test
  void othersAreNotReachedWithoutTls() throws Exception {
    try (GuardedProxy proxy = proxy()) {
      assertThat(get(proxy, "http://" + host + "/").statusCode()).isEqualTo(403);
      assertThat(proxy.refused()).contains("not encrypted");
    }
  }

  @Test
  void privateAddressesAreRefusedWhateverTheirName() throws Exception {
    try (GuardedProxy proxy = proxy(host)) {
      for (String name : List.of("metadata.example.com", "rebound.example.com", "10.0.0.1")) {
        assertThatThrownBy(() -> get(proxy, "https://" + name + "/"))
            .as(name)
            .isInstanceOf(IOException.class);
        assertThat(proxy.refused()).as(name).contains("address");
      }
    }
  }

  @Test
  void noiseIsNoRequest() throws Exception {
    try (GuardedProxy proxy = proxy(host);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.getOutputStream().write("x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }
}
