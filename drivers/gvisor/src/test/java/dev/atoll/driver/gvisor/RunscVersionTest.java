package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
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

  @Test
  void anOldReleaseIsToldSoWithWhatToDo() {
    LocalDate today = LocalDate.of(2026, 11, 16);
    assertThat(version("0.0~20240729.0").advice(today))
        .hasValueSatisfying(
            advice -> assertThat(advice).contains("July 2024").contains("./atoll setup"));
    assertThat(version(String.valueOf(RunscVersion.TESTED)).advice(today)).isEmpty();
    assertThat(version(String.valueOf(RunscVersion.TESTED)).advice(today.plusYears(1)))
        .hasValueSatisfying(advice -> assertThat(advice).contains("update Atoll"));
    assertThat(version("release-20270104.0").standing()).startsWith("newer");
  }

  @Test
  void theTestedReleaseIsTheOneThatTheLauncherPins() throws IOException {
    assertThat(Files.readString(Path.of("../../launcher/runsc/go.mod")))
        .containsPattern("gvisor\\.dev/gvisor v0\\.0\\.0-" + RunscVersion.TESTED + "\\d{6}-");
  }

  private static RunscVersion version(String text) {
    return RunscVersion.parse("runsc version " + text + "\n").orElseThrow();
  }
}
