package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunscVersionTest {

  @ParameterizedTest
  @CsvSource({
    "0.0~20240729.0, true",
    "release-20240729.0, true",
    "release-20260105.0-12-gabcdef, true",
    "0.0~20221219.0, false"
  })
  void releasesAreToldApartByTheirDay(String text, boolean supported) {
    RunscVersion version =
        RunscVersion.parse("runsc version " + text + "\nspec: 1.1.0-rc.1\n").orElseThrow();

    assertThat(version.text()).isEqualTo(text);
    assertThat(version.supported()).isEqualTo(supported);
  }

  @Test
  void otherProgramsHaveNoRelease() {
    assertThat(RunscVersion.parse("runc version 1.1.12")).isEmpty();
  }
}
