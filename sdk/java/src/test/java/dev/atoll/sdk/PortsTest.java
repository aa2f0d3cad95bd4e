package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.PortAccess;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortShare;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls; what passes through connections is tested against a whole server. */
@Timeout(30)
class PortsTest {
  private static final String PORT =
      """
      {"port":80,"listening":true,"loopback":true,"access":"private","url":"http://h/"}
      """;
  private static final String SHARE =
      """
      {"id":"shr_1","port":80,"createdAt":"2026-11-15T00:00:00Z",
       "expiresAt":"2026-11-16T00:00:00Z","token":"apt_1","url":"http://h/?atoll_token=apt_1"}
      """;

  private final FakeServer server = new FakeServer();
  private final SandboxPorts ports = Fixture.client(server).sandboxes().handle("x").ports();

  @AfterEach
  void stop() {
    server.close();
  }

  private void answers(String methodAndPath, int status, String body) {
    server.on(methodAndPath, exchange -> FakeServer.answer(exchange, status, body));
  }

  @Test
  void portsAreListedAndChanged() {
    answers("GET /v1/sandboxes/x/ports", 200, "{\"items\":[" + PORT + "]}");
    answers("GET /v1/sandboxes/x/ports/80", 200, PORT);
    answers("PUT /v1/sandboxes/x/ports/80", 200, PORT);
    assertThat(ports.list()).extracting(PortInfo::port).containsExactly(80);
    assertThat(ports.url(80)).isEqualTo("http://h/");
    ports.access(80, PortAccess.PUBLIC);
    assertThat(server.seen()).last().extracting("body").isEqualTo("{\"access\":\"public\"}");
  }

  @Test
  void sharesAreMadeListedAndRevoked() {
    answers("POST /v1/sandboxes/x/shares", 201, SHARE);
    answers("GET /v1/sandboxes/x/shares", 200, "{\"items\":[" + SHARE + "]}");
    answers("DELETE /v1/sandboxes/x/shares/shr_1", 204, "");
    assertThat(ports.share(80).url()).isEqualTo("http://h/?atoll_token=apt_1");
    ports.share(80, Duration.ofMinutes(1));
    assertThat(server.seen())
        .last()
        .extracting("body")
        .isEqualTo("{\"port\":80,\"ttlSeconds\":60.0}");
    assertThat(ports.shares()).extracting(PortShare::id).containsExactly("shr_1");
    ports.revoke("shr_1");
    assertThatThrownBy(() -> ports.share(0)).hasMessageContaining("port");
  }

  @Test
  void aForwardTellsOfConnectionsThatFail() throws Exception {
    answers(
        "GET /v1/sandboxes/x/tcp/80",
        502,
        "{\"code\":\"port_not_listening\",\"message\":\"nobody\",\"requestId\":\"r\"}");
    BlockingQueue<ApiException> failures = new LinkedBlockingQueue<>();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (PortForward forward = ports.forward(any, 80, failures::add);
        Socket socket = new Socket(any.getAddress(), forward.local().getPort())) {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertThat(failures.poll(10, TimeUnit.SECONDS)).hasMessage("nobody");
      assertThat(forward.remote()).isEqualTo(80);
    }
  }
}
