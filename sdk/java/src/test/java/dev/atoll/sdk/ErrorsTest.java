package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.ErrorCode;
import dev.atoll.sdk.transport.Transport;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorsTest {
  private final FakeServer server = new FakeServer();

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "sandbox_not_found, 404, dev.atoll.sdk.SandboxNotFoundException",
    "snapshot_not_found, 404, dev.atoll.sdk.SnapshotNotFoundException",
    "pool_not_found, 404, dev.atoll.sdk.PoolNotFoundException",
    "not_related, 409, dev.atoll.sdk.NotRelatedException",
    "snapshot_incompatible, 409, dev.atoll.sdk.SnapshotIncompatibleException",
    "insufficient_memory, 503, dev.atoll.sdk.InsufficientMemoryException",
    "file_not_found, 404, dev.atoll.sdk.NotFoundException",
    "unauthenticated, 401, dev.atoll.sdk.AuthenticationException",
    "invalid_argument, 400, dev.atoll.sdk.InvalidRequestException",
    "unsupported_language, 422, dev.atoll.sdk.InvalidRequestException",
    "name_taken, 409, dev.atoll.sdk.ConflictException",
    "gone, 410, dev.atoll.sdk.ConflictException",
    "timeout, 504, dev.atoll.sdk.DeadlineExceededException",
    "sandbox_failed, 502, dev.atoll.sdk.ApiException"
  })
  void everyCodeHasItsClass(String code, int status, Class<? extends ApiException> type) {
    server.on("GET /v1/sandboxes/x", exchange -> FakeServer.error(exchange, status, code));
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> Fixture.client(server).sandboxes().get("x"))
        .satisfies(
            e -> {
              assertThat(e).isExactlyInstanceOf(type);
              assertThat(e.code()).isEqualTo(ErrorCode.of(code));
              assertThat(e.getMessage()).isEqualTo("it is " + code);
              assertThat(e.hint()).isEqualTo("do better");
              assertThat(e.requestId()).isEqualTo("req_1");
            });
  }

  @Test
  void quotaTellsHowLongToWait() {
    server.on(
        "GET /v1/server",
        exchange -> {
          exchange.getResponseHeaders().set("Retry-After", "90");
          FakeServer.error(exchange, 429, "quota_exceeded");
        });
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> Fixture.client(server).server())
        .satisfies(e -> assertThat(e.retryAfter()).contains(Duration.ofSeconds(90)));
    assertThat(server.seen()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void aRefusedKeyIsAnAuthenticationFailureForStreamedRequestsToo(Transport transport) {
    server.on("POST /v1/sandboxes", exchange -> FakeServer.error(exchange, 401, "unauthenticated"));
    assertThatExceptionOfType(AuthenticationException.class)
        .isThrownBy(() -> Fixture.client(server, transport).sandboxes().create());
  }

  @Test
  void anotherServerAtThatAddressIsRecognised() {
    server.on("GET /v1/server", exchange -> FakeServer.answer(exchange, 500, "<html>oops"));
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> Fixture.client(server).server())
        .satisfies(
            e -> {
              assertThat(e.getMessage()).contains("HTTP status 500");
              assertThat(e.hint()).contains("URL");
            });
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void anUnreachableServerComesWithAHint(Transport transport) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    Atoll atoll =
        Atoll.builder()
            .url("http://127.0.0.1:" + port)
            .apiKey("k")
            .transport(transport)
            .retryPolicy(Fixture.quick())
            .build();
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(atoll::server)
        .satisfies(e -> assertThat(e.hint()).contains("ATOLL_URL"))
        .withMessageContaining("cannot reach");
  }

  @Test
  void noServerAtAllSaysHowToStartOne() {
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(() -> Atoll.builder().environment(Map.of("ATOLL_HOME", "/nonexistent")).build())
        .satisfies(e -> assertThat(e.hint()).contains("./atoll up"));
  }
}
