package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.AtollException;
import dev.atoll.model.Json;
import dev.atoll.model.SecretInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SecretsTest {
  private static final String INFO =
      """
      {"name":"key","domains":["a.test:443"],"env":"KEY","placeholder":"atoll-secret-1",
       "createdAt":"2026-11-15T00:00:00Z","changedAt":"2026-11-15T00:00:00Z"}
      """;

  private final FakeServer server = new FakeServer();
  private final Atoll atoll = Fixture.client(server);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aSecretIsSetReadListedAndDeleted() {
    answers("PUT /v1/secrets/key", 200, INFO);
    answers("GET /v1/secrets/key", 200, INFO);
    answers("GET /v1/secrets", 200, "{\"items\":[" + INFO + "]}");
    answers("DELETE /v1/secrets/key", 204, "");
    SecretInfo info =
        atoll
            .secrets()
            .set(
                "key",
                s -> s.value("0123456789").domain("A.test").header("X-Key: {value}").env("KEY"));
    assertBody(
        0, "{'value':'0123456789','domains':['a.test:443'],'header':'X-Key: {value}','env':'KEY'}");
    assertThat(info.placeholder()).isEqualTo("atoll-secret-1");
    assertThat(atoll.secrets().get("key")).isEqualTo(info);
    assertThat(atoll.secrets().list()).containsExactly(info);
    atoll.secrets().set("key", s -> s.query(""));
    assertBody(3, "{'query':''}");
    atoll.secrets().delete("key");
    assertThat(server.seen()).hasSize(5);
  }

  @Test
  void optionsNameTheSecretsOfASandbox() {
    answers("POST /v1/sandboxes", 201, Fixture.SANDBOX);
    answers("POST /v1/pools", 201, Fixture.POOL);
    answers("POST /v1/pools/p/claim", 201, Fixture.SANDBOX);
    atoll.sandboxes().create(s -> s.secret("a", "b").secret("c"));
    atoll.pools().create(p -> p.max(1).secret("a"));
    atoll.pools().claim("p", c -> c.secret("b"));
    assertBody(0, "{'secrets':['a','b','c']}");
    assertBody(1, "{'warm':0,'max':1,'env':{},'secrets':['a']}");
    assertBody(2, "{'secrets':['b']}");
  }

  @Test
  void whatCannotBeASecretIsRefusedHereWithoutSayingIt() {
    assertThatExceptionOfType(AtollException.class)
        .isThrownBy(() -> atoll.secrets().set("key", s -> s.value("two\nlines-of-it")))
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("lines-of-it"));
    assertThat(server.seen()).isEmpty();
  }

  private void answers(String methodAndPath, int status, String body) {
    server.on(methodAndPath, exchange -> FakeServer.answer(exchange, status, body));
  }

  private void assertBody(int index, String json) {
    assertThat(Json.strict().readTree(server.seen().get(index).body()))
        .isEqualTo(Json.strict().readTree(json.replace('\'', '"')));
  }
}
