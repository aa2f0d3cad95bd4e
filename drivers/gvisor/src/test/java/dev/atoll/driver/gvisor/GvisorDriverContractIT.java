package dev.atoll.driver.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.Driver;
import dev.atoll.driver.testkit.DriverContractTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Needs root, runsc and a static busybox; fails with advice where one of them is missing. */
class GvisorDriverContractIT extends DriverContractTest {
  @TempDir private static Path folder;
  private static Path rootfs;
  private static Path hostileRootfs;

  @BeforeAll
  static void buildGuests() throws IOException {
    TestHost.extractPrograms(folder);
    rootfs = TestRootfs.build(folder.resolve("rootfs"), folder.resolve("atoll-agent"));
    hostileRootfs =
        TestRootfs.buildHostile(folder.resolve("hostile"), folder.resolve("atoll-agent"));
  }

  @Override
  protected Driver newDriver() {
    return new GvisorDriver(TestHost.config(folder));
  }

  @Override
  protected Path rootfs() {
    return rootfs;
  }

  @Override
  protected Path hostileRootfs() {
    return hostileRootfs;
  }

  @Override
  protected void assertNothingLeft(String id, Path directory) {
    MachineDirectory files = new MachineDirectory(id, directory);
    assertThat(Cgroups.detect().find(files.hostName()).folders())
        .allSatisfy(group -> assertThat(group).doesNotExist());
    assertThat(commandLinesWith(directory)).isEmpty();
    assertThat(files.socket()).doesNotExist();
    assertThat(read(Path.of("/proc/mounts"))).doesNotContain(directory.toString());
  }

  private static List<String> commandLinesWith(Path directory) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(process -> read(Path.of("/proc/" + process.pid() + "/cmdline")))
          .filter(line -> line.contains(directory.toString()))
          .toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.nio.file.NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return "";
      }
      throw new UncheckedIOException(e);
    }
  }
}
