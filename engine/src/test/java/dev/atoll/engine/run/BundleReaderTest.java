package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleReaderTest {
  private static MimeBundle read(String json) {
    return BundleReader.read(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void textStaysTextAndJsonPassesThroughUnread() {
    MimeBundle bundle =
        read("{\"text/plain\": \"x\", \"a/b+json\": {\"n\": [1,\n 2.5, \"ü\\n\"]}, \"c\": null}");
    String written = Json.lenient().writeValueAsString(bundle);
    assertThat(written).isEqualTo("{\"text/plain\":\"x\",\"a/b+json\":{\"n\":[1,2.5,\"ü\\n\"]}}");
    assertThat(Json.lenient().readValue(written, MimeBundle.class).forms())
        .containsEntry("a/b+json", Map.of("n", List.of(1, 2.5, "ü\n")));
  }

  @Test
  void thereIsAlwaysText() {
    assertThat(read("{\"image/png\": \"cG5n\"}").forms())
        .containsExactly(Map.entry("text/plain", ""), Map.entry("image/png", "cG5n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "5",
        "{\"a\": ",
        "{\"a\": [}",
        "{\"a\": [1, 2}",
        "{\"text/plain\": \"x\"",
        "{\"a\": \"\\u12\"}"
      })
  void garbageIsToldAsSuch(String json) {
    assertThat(read(json).text()).contains("unreadable");
  }

  @Test
  void depthAndNumberOfFormsAreBounded() {
    assertThat(read("{\"a\": " + "[".repeat(100_000) + "]".repeat(100_000) + "}").text())
        .contains("unreadable");
    StringBuilder many = new StringBuilder("{\"x\": \"\"");
    for (int i = 0; i < 1000; i++) {
      many.append(", \"").append(i).append("\": \"\"");
    }
    assertThat(read(many.append('}').toString()).text()).contains("unreadable");
  }
}
