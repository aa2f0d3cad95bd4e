package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.MachineLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserIdsTest {
  @TempDir private Path folder;

  @Test
  void noRangeIsGivenTwice() throws IOException {
    UserIds ids = new UserIds(folder.resolve("uids"));
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 500; i++) {
      int base = ids.claim(machine("m" + i));
      assertThat(given.add(base)).isTrue();
      assertThat(base % 65_536).isZero();
      assertThat(base).isBetween(0x7000_0000, 0x7eff_0000);
    }
  }

  @Test
  void rangeIsGivenBackByItsMachineAlone() throws IOException {
    UserIds ids = new UserIds(folder.resolve("uids"));
    int base = ids.claim(machine("m"));

    ids.release(base, machine("other"));
    assertThat(claims()).hasSize(1);
    ids.release(base, machine("m"));
    assertThat(claims()).isEmpty();
  }

  @Test
  void rangesOfMachinesThatAreGoneAreSwept() throws IOException {
    UserIds ids = new UserIds(folder.resolve("uids"));
    ids.claim(machine("there"));
    MachineDirectory gone = machine("gone");
    ids.claim(gone);
    Files.delete(gone.path());

    ids.sweep();

    assertThat(claims()).hasSize(1);
  }

  @Test
  void recordOfAnOlderServerHasNoWorld() throws IOException {
    Path file = folder.resolve("machine.json");
    Files.writeString(
        file,
        """
        {"id":"m","rootfs":"/rootfs","platform":"SYSTRAP","version":"release-20240729.0",\
        "limits":{"cpus":1.0,"memoryBytes":67108864,"diskBytes":67108864,"processes":8}}
        """);

    assertThat(MachineRecord.read(file).orElseThrow().world()).isEmpty();

    MachineLimits limits = new MachineLimits(1, 1 << 26, 1 << 26, 8);
    MachineDirectory directory = machine("m");
    new MachineRecord("m", Path.of("/r"), Platform.SYSTRAP, limits, "v", 0x7000_0000)
        .write(directory);
    assertThat(MachineRecord.read(directory.record()).orElseThrow().world())
        .contains(new World(0x7000_0000));
  }

  private MachineDirectory machine(String id) throws IOException {
    return new MachineDirectory(id, Files.createDirectories(folder.resolve(id)));
  }

  private java.util.List<Path> claims() throws IOException {
    try (var files = Files.list(folder.resolve("uids"))) {
      return files.toList();
    }
  }
}
