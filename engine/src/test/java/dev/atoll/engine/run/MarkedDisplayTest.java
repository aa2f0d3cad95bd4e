package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunEvent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkedDisplayTest {
  private static RunEvent.Display read(String mark) {
    String json = "{\"text/plain\": \"x\", \"application/vnd.atoll.display+json\": " + mark + "}";
    return MarkedDisplay.read(BundleReader.read(json.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void theMarkBecomesPartOfTheEvent() {
    MimeBundle data = MimeBundle.ofText("x");
    assertThat(read("{\"id\": \"a\"}")).isEqualTo(new RunEvent.Display(data, "a", null, null));
    assertThat(read("{\"id\": \"a\", \"update\": true}").replaces()).isTrue();
    assertThat(read("{\"clear\": \"next\"}").clear()).isEqualTo(RunEvent.Clearing.NEXT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "[[]]", "\"text\"", "{\"id\": {\"a\": 1}}", "{\"update\": []}"})
  void whatMakesNoSenseIsNoMark(String mark) {
    assertThat(read(mark)).isEqualTo(new RunEvent.Display(MimeBundle.ofText("x")));
  }

  @Test
  void aLongMarkIsNone() {
    assertThat(read("{\"id\": \"" + "i".repeat(2000) + "\"}").displayId()).isNull();
  }
}
