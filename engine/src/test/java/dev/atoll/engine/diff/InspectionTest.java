package dev.atoll.engine.diff;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InspectionTest {
  @Test
  void aLiteralIsPlainAsciiForAnyText() {
    assertThat(Inspection.literal("a\"\\\nä😀"))
        .isEqualTo("\"a\\U00000022\\U0000005c\\U0000000a\\U000000e4\\U0001f600\"");
  }
}
