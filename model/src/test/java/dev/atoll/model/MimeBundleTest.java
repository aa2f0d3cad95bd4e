package dev.atoll.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MimeBundleTest {
  private static final String FIGURE =
      """
      {"text/plain": "<Figure>", "image/png": "cG5n\\ncG5n", "application/vnd.atoll.chart+json":
        {"title": "T", "plots": [{"type": "line", "x": {"label": "t", "scale": "linear", "range": [0, 2]},
          "series": [{"type": "line", "label": "a", "x": [0, 1, 2], "y": [1.5, null, "2024-01-01"]}]}]}}
      """;

  private static MimeBundle bundle(String json) {
    return Json.lenient().readValue(json, MimeBundle.class);
  }

  @Test
  void formsAreReadAsWhatTheyAre() {
    MimeBundle bundle = bundle(FIGURE);
    assertThat(bundle.text()).isEqualTo("<Figure>");
    assertThat(bundle.png().orElseThrow()).isEqualTo("pngpng".getBytes(UTF_8));
    assertThat(bundle.html()).isEmpty();
    assertThat(bundle("{\"application/json\": {\"a\": [1]}}").json())
        .contains(Map.of("a", List.of(1)));
    assertThat(bundle("{\"application/json\": {\"a\": [1]}}").text("application/json"))
        .contains("{\"a\":[1]}");
    assertThat(bundle("{\"image/svg+xml\": \"<svg/>\"}").bytes("image/svg+xml").orElseThrow())
        .isEqualTo("<svg/>".getBytes(UTF_8));
  }

  @Test
  void theDataBehindAChartIsReadable() {
    Chart chart = bundle(FIGURE).chart().orElseThrow();
    assertThat(chart.title()).isEqualTo("T");
    Chart.Plot plot = chart.plots().get(0);
    assertThat(plot.x()).isEqualTo(new Chart.Axis("t", "linear", List.of(0, 2)));
    assertThat(plot.series().get(0).y()).containsExactly(1.5, null, "2024-01-01");
    assertThat(Json.lenient().writeValueAsString(chart))
        .doesNotContain("boxes")
        .contains("\"y\":[1.5,null,\"2024-01-01\"]");
  }

  @Test
  void aRunKnowsTheFirstOfEachForm() {
    RunResult run =
        Json.lenient()
            .readValue(
                "{\"id\": \"r\", \"status\": \"ok\", \"displays\": [{\"text/plain\": \"d\"}, "
                    + FIGURE
                    + "], \"result\": {\"text/plain\": \"v\", \"text/html\": \"<b>\"}}",
                RunResult.class);
    assertThat(run.text()).hasValue("v");
    assertThat(run.html()).contains("<b>");
    assertThat(run.png()).isPresent();
    assertThat(run.chart()).map(Chart::title).contains("T");
    assertThat(run.jpeg()).isEmpty();
    assertThat(run.shown()).extracting(MimeBundle::text).containsExactly("d", "<Figure>", "v");
  }
}
