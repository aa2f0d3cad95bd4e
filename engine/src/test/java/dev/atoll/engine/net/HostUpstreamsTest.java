package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.atoll.engine.cache.PackageSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where the package cache's requests end up, whatever names and registries say. */
class HostUpstreamsTest {
  /** What each name answers, one time after the other. */
  private final Map<String, Deque<List<String>>> names = new HashMap<>();

  private final List<String> lookups = Collections.synchronizedList(new ArrayList<>());
  private final List<String> dialled = Collections.synchronizedList(new ArrayList<>());
  private final Resolver resolver = new Resolver(this::lookUp);
  private HttpServer server;
  private HostUpstreams upstreams;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    upstreams = upstreams("https://registry.example.com/simple");
  }

  @AfterEach
  void stop() {
    upstreams.close();
    server.stop(0);
    resolver.close();
  }

  private HostUpstreams upstreams(String pip) {
    AddressGuard guard = new AddressGuard(List.of());
    DownloadHosts downloads = new DownloadHosts(PageFetcher.real(), resolver, guard);
    PackageSettings defaults = PackageSettings.defaults();
    PackageSettings settings =
        new PackageSettings(
            defaults.maxBytes(),
            defaults.pageAge(),
            List.of(URI.create(pip)),
            List.of(URI.create("https://npm.example.com")),
            List.of(),
            List.of(URI.create("https://maven.example.com")),
            List.of(),
            List.of());
    return new HostUpstreams(settings, List::of, downloads, resolver, this::dial);
  }

  private List<InetAddress> lookUp(String name) throws UnknownHostException {
    lookups.add(name);
    Deque<List<String>> answers = names.get(name);
    if (answers == null || answers.isEmpty()) {
      throw new UnknownHostException(name);
    }
    return answers.poll().stream().map(InetAddress::ofLiteral).toList();
  }

  /** Every address is this machine; which one was meant is noted. */
  private Dialer.Dialled dial(List<InetAddress> addresses, int port, Duration deadline)
      throws IOException {
    addresses.forEach(address -> dialled.add(address.getHostAddress()));
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getAddress().getPort());
    return new Dialer.Dialled(socket, addresses.getFirst());
  }

  private void name(String name, List<String> first, List<String> next) {
    names.put(name, new ArrayDeque<>(List.of(first, next)));
  }

  private int get(String address) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().proxy(upstreams.way().proxy()).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(30)).build();
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void aNameIsLookedUpOnceAndTheAddressThatWasCheckedIsDialled() throws Exception {
    name("files.example.com", List.of("93.184.216.34"), List.of("127.0.0.1"));
    assertThat(get("http://files.example.com/demo.whl")).isEqualTo(200);
    assertThat(lookups).containsExactly("files.example.com");
    assertThat(dialled).containsExactly("93.184.216.34");
    assertThat(upstreams.way().trouble(URI.create("http://files.example.com/other"))).isNull();
  }

  @Test
  void ofSeveralAddressesThoseThatMayBeAskedAreDialled() throws Exception {
    name("files.example.com", List.of("127.0.0.1", "93.184.216.34", "10.1.2.3"), List.of());
    assertThat(get("http://files.example.com/demo.whl")).isEqualTo(200);
    assertThat(dialled).containsExactly("93.184.216.34");
  }

  @Test
  void whatOnlyTheServerReachesIsNotDialled() throws Exception {
    URI address = URI.create("http://files.example.com/demo.whl");
    name("files.example.com", List.of("169.254.169.254"), List.of("93.184.216.34"));
    assertThat(get(address.toString())).isEqualTo(403);
    assertThat(upstreams.way().trouble(address))
        .contains("files.example.com", "a link-local address", "network.reachable");
    assertThatThrownBy(() -> get("https://127.0.0.1/demo.whl")).isInstanceOf(IOException.class);
    assertThat(get("http://nowhere.example.com/")).isEqualTo(403);
    assertThat(dialled).isEmpty();
  }

  @Test
  void aRegistryOfACompanysOwnMayHaveFilesBesideIt() throws Exception {
    upstreams.close();
    upstreams = upstreams("http://registry.example.com/simple");
    name("registry.example.com", List.of("10.1.2.3"), List.of("10.1.2.3"));
    name("files.example.com", List.of("10.1.2.4"), List.of());
    name("other.example.com", List.of("127.0.0.1"), List.of());
    assertThat(get("http://registry.example.com/simple/demo/")).isEqualTo(200);
    assertThat(get("http://files.example.com/demo.whl")).isEqualTo(200);
    assertThat(get("http://other.example.com/demo.whl")).isEqualTo(403);
    assertThat(get("http://registry.example.com:8080/simple/demo/")).isEqualTo(200);
    assertThat(dialled).containsExactly("10.1.2.3", "10.1.2.4", "10.1.2.3");
  }
}
