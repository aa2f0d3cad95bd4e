package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndpointSearchTest {
  @TempDir Path home;

  @BeforeEach
  void describeLocalServer() throws Exception {
    Path key = Files.writeString(home.resolve("key"), "local-key\n");
    Files.createDirectory(home.resolve("run"));
    Files.writeString(
        home.resolve("run/server.json"),
        "{\"url\":\"http://127.0.0.1:7071\",\"pid\":1,\"version\":\"0\",\"adminKeyFile\":\"%s\"}"
            .formatted(key));
  }

  @Test
  void whatTheCallerSaysComesFirst() {
    Endpoint found =
        new EndpointSearch("http://a:1/", "k", environment("ATOLL_URL", "http://b:2")).find();
    assertThat(found).isEqualTo(new Endpoint(URI.create("http://a:1"), "k"));
  }

  @Test
  void theEnvironmentComesBeforeTheLocalServer() {
    Endpoint found =
        new EndpointSearch(null, null, Map.of("ATOLL_URL", "https://b", "ATOLL_API_KEY", "e"))
            .find();
    assertThat(found).isEqualTo(new Endpoint(URI.create("https://b"), "e"));
  }

  @Test
  void theLocalServerIsTheLastResort() {
    Endpoint found = new EndpointSearch(null, null, environment("X", "")).find();
    assertThat(found).isEqualTo(new Endpoint(URI.create("http://127.0.0.1:7071"), "local-key"));
    assertThat(found.toString()).doesNotContain("local-key");
  }

  @Test
  void theLocalKeyIsNotSentElsewhere() {
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(
            () -> new EndpointSearch("https://elsewhere", null, environment("X", "")).find())
        .withMessageContaining("no API key");
    assertThat(new EndpointSearch("http://127.0.0.1:7071", null, environment("X", "")).find())
        .extracting(Endpoint::apiKey)
        .isEqualTo("local-key");
  }

  @Test
  void anUnreadableKeyFileSaysWhatToDo() throws Exception {
    Files.delete(home.resolve("key"));
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(() -> new EndpointSearch(null, null, environment("X", "")).find())
        .satisfies(e -> assertThat(e.hint()).contains("ATOLL_API_KEY"));
  }

  @Test
  void aUrlOfAnotherKindIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new EndpointSearch("127.0.0.1", "k", Map.of()).find());
  }

  private Map<String, String> environment(String name, String value) {
    return Map.of("ATOLL_HOME", home.toString(), name, value);
  }
}
