package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.MachineLimits;
import org.junit.jupiter.api.Test;

class CgroupLimitsTest {
  @Test
  void hostAddsWhatGvisorNeeds() {
    CgroupLimits limits = CgroupLimits.of(new MachineLimits(0.5, 1000, 1, 10), 4096);

    assertThat(limits.cpus()).isEqualTo(0.5);
    assertThat(limits.memoryBytes()).isEqualTo(4096 + 10 * (3 << 20));
    assertThat(limits.pids()).isGreaterThan(10);
  }
}
