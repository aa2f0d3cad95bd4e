package dev.atoll.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShownDisplaysTest {
  private static final RunEvent OUTPUT = new RunEvent.Stdout(0, "x", null);

  private final ShownDisplays displays = new ShownDisplays();

  private static RunEvent.Display shown(String text, String id, boolean update) {
    return new RunEvent.Display(MimeBundle.ofText(text), id, update ? true : null, null);
  }

  private static RunEvent.Display clear(RunEvent.Clearing when) {
    return new RunEvent.Display(MimeBundle.ofText(""), null, null, when);
  }

  @Test
  void whatIsReplacedKeepsItsPlace() {
    displays.add(shown("bar 0", "bar", false));
    displays.add(new RunEvent.Display(MimeBundle.ofText("between")));
    displays.add(shown("bar 1", "bar", true));
    displays.add(shown("of an earlier run", "other", true));
    assertThat(displays.bundles())
        .extracting(MimeBundle::text)
        .containsExactly("bar 1", "between", "of an earlier run");
  }

  @Test
  void aClearingWaitsForWhatComesNextIfItSaysSo() {
    assertThat(displays.clearedBy(clear(RunEvent.Clearing.NOW))).isTrue();
    assertThat(displays.clearedBy(OUTPUT)).isFalse();
    assertThat(displays.clearedBy(clear(RunEvent.Clearing.NEXT))).isFalse();
    assertThat(displays.clearedBy(new RunEvent.Ping())).isFalse();
    assertThat(displays.clearedBy(OUTPUT)).isTrue();
    assertThat(displays.clearedBy(OUTPUT)).isFalse();
    displays.add(clear(RunEvent.Clearing.NOW));
    assertThat(displays.bundles()).isEmpty();
  }

  @Test
  void theWireIsThatOfADisplayWithMore() {
    String plain = "{\"type\":\"display\",\"data\":{\"text/plain\":\"x\"}}";
    assertThat(Json.lenient().writeValueAsString(new RunEvent.Display(MimeBundle.ofText("x"))))
        .isEqualTo(plain);
    RunEvent.Display marked =
        new RunEvent.Display(MimeBundle.ofText("x"), "a", true, RunEvent.Clearing.NEXT);
    String json = Json.lenient().writeValueAsString(marked);
    assertThat(json).contains("\"displayId\":\"a\",\"update\":true,\"clear\":\"next\"");
    assertThat(Json.lenient().readValue(json, RunEvent.class)).isEqualTo(marked);
  }
}
