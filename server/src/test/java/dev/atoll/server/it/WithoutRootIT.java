package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./atoll} as a user calls it who is not root and may not write to the checkout. */
@Timeout(120)
class WithoutRootIT {
  @TempDir Path checkout;

  private record Ended(int status, String said) {}

  @BeforeEach
  void copyLauncher() throws Exception {
    Files.setPosixFilePermissions(checkout, PosixFilePermissions.fromString("rwxr-xr-x"));
    Ended copied = run(List.of("cp", "-r", "atoll", "launcher", checkout.toString()));
    assertThat(copied.status()).as(copied.said()).isZero();
  }

  private Ended run(List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(RealServer.CHECKOUT.toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("ATOLL_"));
    builder.environment().put("HOME", checkout.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }

  private Ended atoll(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                checkout + "/atoll"));
    command.addAll(List.of(arguments));
    return run(command);
  }

  @Test
  void nothingIsBegunAndWhatToDoIsSaid() throws Exception {
    for (String command : List.of("run", "up", "doctor", "test")) {
      Ended refused = atoll(command);
      assertThat(refused.status()).as(refused.said()).isEqualTo(4);
      assertThat(refused.said())
          .contains("needs root", "sudo " + checkout + "/atoll " + command, "0016-rootless.md");
    }
    assertThat(atoll("ls").said()).contains("ATOLL_URL=");
    assertThat(atoll("help").status()).isZero();
    try (Stream<Path> files = Files.list(checkout)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("atoll", "launcher");
    }
  }
}
