package dev.atoll.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelSettingsTest {
  @Test
  void theEnvironmentNamesKeyAddressAndModel() {
    Map<String, String> environment =
        Map.of(
            "SOME_API_KEY", "secret", "SOME_BASE_URL", "http://127.0.0.1:1", "SOME_MODEL", "large");
    ModelSettings settings =
        ModelSettings.ofEnvironment(environment, "SOME", "small").orElseThrow();
    assertThat(settings.apiKey()).isEqualTo("secret");
    assertThat(settings.model()).isEqualTo("large");
    assertThat(settings).hasToString("large at http://127.0.0.1:1");
    assertThat(ModelSettings.ofEnvironment(Map.of("SOME_API_KEY", "k"), "SOME", "small"))
        .get()
        .hasToString("small");
    assertThat(ModelSettings.ofEnvironment(Map.of(), "SOME", "small")).isEmpty();
  }

  @Test
  void statusesAreTemporaryOrNot() {
    assertThat(ModelException.ofStatus(529, "x", "2", null).temporary()).isTrue();
    assertThat(ModelException.ofStatus(529, "x", "2", null).retryAfter())
        .contains(Duration.ofSeconds(2));
    assertThat(ModelException.ofStatus(503, "x", "Tue, 15 Nov 1994", null).retryAfter()).isEmpty();
    assertThat(ModelException.ofStatus(400, "x", null, null).temporary()).isFalse();
    assertThat(ModelException.temporary("x", null).temporary()).isTrue();
  }
}
