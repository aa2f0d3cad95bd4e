package dev.atoll.driver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.Driver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the fake honest: it does what every driver must do. */
class FakeDriverContractTest extends DriverContractTest {
  @TempDir private static Path folder;
  private final FakeHost host = new FakeHost();

  @BeforeAll
  static void buildHostileGuest() throws IOException {
    Files.createFile(Files.createDirectory(folder.resolve("evil")).resolve("hostile"));
  }

  @Override
  protected Driver newDriver() {
    return new FakeDriver(host);
  }

  @Override
  protected Path rootfs() {
    return folder;
  }

  @Override
  protected Path hostileRootfs() {
    return folder.resolve("evil");
  }

  @Override
  protected void assertNothingLeft(String id, Path directory) {
    assertThat(host.ids()).doesNotContain(id);
  }
}
