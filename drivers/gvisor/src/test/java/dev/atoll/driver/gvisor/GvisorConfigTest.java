package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GvisorConfigTest {
  @Test
  void defaults() {
    GvisorConfig config =
        GvisorConfig.of(
            Path.of("/runsc"), Path.of("/keeper"), Path.of("/jailer"), Path.of("/agent"));

    assertThat(config.platform()).isEqualTo(Platform.SYSTRAP);
    assertThat(config.memoryOverheadBytes()).isEqualTo(512L << 20);
    assertThat(config.bootTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.commandTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.checkpointTimeout()).isEqualTo(Duration.ofMinutes(10));
  }
}
