package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.ServiceInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.ConflictException;
import dev.atoll.sdk.ServiceOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program as agents have them: from a repository, with open streams, that ends in order. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class AgentServiceIT {
  private static final String HOST = "git.test";

  private LocalInternet internet;
  private RealServer server;
  private Atoll atoll;
  private ServiceCaller caller;
  private String program;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()), internet.reachable());
    atoll = server.atoll();
    caller = new ServiceCaller(atoll);
    try (InputStream content = AgentServiceIT.class.getResourceAsStream("/services/agent.py")) {
      program = new String(Objects.requireNonNull(content).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @AfterAll
  void stop() throws IOException {
    caller.close();
    server.close();
    internet.close();
  }

  @AfterEach
  void clear() {
    atoll.services().list().forEach(service -> atoll.services().delete(service.id()));
    assertThat(atoll.sandboxes().list().stream()).isEmpty();
    assertThat(atoll.snapshots().list().stream()).isEmpty();
  }

  private ServiceOptions agent(ServiceOptions options, String colour) {
    return options.file("agent.py", program).start("exec python3 agent.py").env("COLOUR", colour);
  }

  @Test
  void aRepositoryIsClonedUnderTheNetworkPolicyOfTheService(@TempDir Path folder) throws Exception {
    GitHost host = new GitHost(folder);
    Map<String, String> branches = new TreeMap<>();
    branches.put("main", program);
    branches.put("next", program.replace("COLOUR", "OTHER"));
    host.repository("agent.git", "agent.py", branches, "main");
    internet.handle("/agent.git/", host);
    String url = "http://" + HOST + "/agent.git";
    atoll.services().deploy("web", s -> cloned(s, url, null).allow(HOST + ":80"));
    assertThat(caller.body("/")).isEqualTo("red");
    ServiceInfo next =
        atoll.services().deploy("web", s -> cloned(s, url, "next").allow(HOST + ":80"));
    assertThat(next.revision()).isEqualTo(2);
    assertThat(caller.body("/")).isEqualTo("none");
    assertThatThrownBy(
            () -> atoll.services().deploy("web", s -> cloned(s, url, "absent").allow(HOST)))
        .hasMessageContaining("cloning " + url)
        .hasMessageContaining("absent");
    assertThatThrownBy(() -> atoll.services().deploy("web", s -> cloned(s, url, null)))
        .hasMessageContaining("cloning " + url);
    assertThat(caller.body("/")).isEqualTo("none");
  }

  private static ServiceOptions cloned(ServiceOptions options, String url, @Nullable String ref) {
    return options
        .git(url, ref)
        .network(NetworkMode.ALLOWLIST)
        .start("exec python3 agent.py")
        .env("COLOUR", "red");
  }

  @Test
  void eventsAndWebSocketsPassAndCountAsRequests() throws Exception {
    atoll.services().deploy("web", s -> agent(s, "blue"));
    HttpResponse<InputStream> events =
        caller.client().send(caller.request("/events").build(), BodyHandlers.ofInputStream());
    assertThat(events.headers().firstValue("Content-Type")).contains("text/event-stream");
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("data: 0");
      assertThat(lines.readLine()).isEmpty();
      assertThat(lines.readLine()).isEqualTo("data: 1");
      assertThat(inFlight()).isEqualTo(1);
    }
    ServiceCaller.await(() -> inFlight() == 0, "the stream ends with its reader");
    Hearing heard = new Hearing();
    WebSocket socket =
        caller
            .client()
            .newWebSocketBuilder()
            .header("X-API-Key", atoll.endpoint().apiKey())
            .buildAsync(
                URI.create(caller.request("/chat").build().uri().toString().replace("http", "ws")),
                heard)
            .get(60, TimeUnit.SECONDS);
    for (String word : new String[] {"one", "two"}) {
      socket.sendText(word, true).get(60, TimeUnit.SECONDS);
      assertThat(heard.next()).isEqualTo("echo: " + word);
    }
    assertThat(inFlight()).isEqualTo(1);
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(60, TimeUnit.SECONDS);
    ServiceCaller.await(() -> inFlight() == 0, "the socket is closed");
  }

  private int inFlight() {
    return atoll.services().get("web").instances().getFirst().inFlight();
  }

  @Test
  void anInstanceThatGoesIsAskedToAndTheRevisionBeforeCanServeAgain() throws Exception {
    atoll.services().deploy("web", s -> agent(s, "green"));
    assertThatThrownBy(() -> atoll.services().rollback("web"))
        .isInstanceOf(ConflictException.class);
    atoll.services().deploy("web", s -> agent(s, "white").max(2));
    assertThat(caller.body("/")).isEqualTo("white");
    // The word comes a second after the signal: the program was given that time.
    ServiceCaller.await(() -> caller.logged("ended in order"), "the program ended by itself");
    ServiceInfo back = atoll.services().rollback("web");
    assertThat(back.revision()).isEqualTo(1);
    assertThat(back.previous()).isEqualTo(2);
    assertThat(back.scale().max()).isEqualTo(2);
    assertThat(caller.body("/")).isEqualTo("green");
    server.kill();
    server.start();
    atoll = server.atoll();
    caller = new ServiceCaller(atoll, caller.client());
    assertThat(atoll.services().rollback("web").revision()).isEqualTo(2);
    assertThat(caller.body("/")).isEqualTo("white");
    HttpResponse<String> metrics =
        caller
            .client()
            .send(
                HttpRequest.newBuilder(URI.create(atoll.endpoint().url() + "/metrics")).build(),
                BodyHandlers.ofString());
    assertThat(metrics.body())
        .contains("atoll_services 1.0", "atoll_services_requests_total 1.0")
        .contains("atoll_services_instances{state=\"ready\"} 1.0");
  }
}
