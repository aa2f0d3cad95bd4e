package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.driver.Machine;
import dev.atoll.driver.MachineLimits;
import dev.atoll.driver.MachineSpec;
import dev.atoll.driver.testkit.FakeDriver;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.engine.run.RunSettings;
import dev.atoll.engine.run.Runs;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in a fake guest reaches the network through the whole of the host's side. */
final class FakeFetchTest {
  @TempDir Path folder;

  @Test
  void aProgramFetchesWhatItMayAndIsToldWhatItMayNot() throws IOException {
    try (FakeInternet server = FakeInternet.echo();
        EgressHarness harness =
            new EgressHarness(folder, NetworkPolicy.of(NetworkMode.ALLOWLIST, "echo.test"));
        Deadlines deadlines = new Deadlines();
        Machine machine =
            new FakeDriver()
                .boot(
                    new MachineSpec(
                        "m",
                        folder.resolve("m"),
                        folder,
                        new MachineLimits(1, 64 << 20, 64 << 20, 8)))) {
      harness.name("echo.test");
      Guest guest = new Guest(machine.stream(), loss -> {});
      guest.egress(harness.egress);
      guest.start("m");
      Runs runs = new Runs(guest, deadlines, RunSettings.defaults(), "python");

      RunResult fetched = run(runs, "fetch echo.test " + server.port() + " hello there");
      assertThat(fetched.stdout()).isEqualTo("hello there");
      assertThat(fetched.exitCode()).isZero();

      RunResult refused = run(runs, "fetch other.test 80 hello");
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.stderr()).contains("other.test:80 is not on the allow list");
    }
  }

  private static RunResult run(Runs runs, String line) {
    return runs.start(CommandRequest.shell(line), false).result();
  }
}
