package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MachineDirectoryTest {

  @Test
  void socketsAreInTheDirectoryWhenTheirPathsFit() {
    MachineDirectory directory = new MachineDirectory("m", Path.of("/var/lib/atoll/machines/m"));

    assertThat(directory.socket()).isEqualTo(Path.of("/var/lib/atoll/machines/m/keeper.sock"));
  }

  @Test
  void socketsOfADeepDirectoryAreReachedByAShortLink() {
    Path deep = Path.of("/data/" + "x".repeat(90), "m".repeat(64));
    MachineDirectory directory = new MachineDirectory("m".repeat(64), deep);

    assertThat(length(directory.socket())).isLessThanOrEqualTo(107);
    assertThat(directory.config()).isEqualTo(deep.resolve("bundle/config.json"));
  }

  @Test
  void machinesOfTwoServersHaveDifferentNamesOnTheHost() {
    assertThat(new MachineDirectory("m", Path.of("/a/m")).hostName())
        .isNotEqualTo(new MachineDirectory("m", Path.of("/b/m")).hostName())
        .startsWith(MachineDirectory.rootHash(Path.of("/a")))
        .endsWith("-m");
  }

  private static int length(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length;
  }
}
