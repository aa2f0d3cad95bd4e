package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MeminfoTest {
  @Test
  void limitIsAllTheMemoryThereIs() {
    assertThat(Meminfo.of(512L << 20))
        .containsPattern("(?m)^MemTotal: +524288 kB$")
        .containsPattern("(?m)^MemFree: +524288 kB$")
        .containsPattern("(?m)^MemAvailable: +524288 kB$");
  }
}
