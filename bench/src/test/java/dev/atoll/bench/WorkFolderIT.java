package dev.atoll.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bench that is ended from outside; it has a mount and a program, as with a raw sandbox. */
@Timeout(120)
class WorkFolderIT {
  /** Says which folder and which program it has, and waits for its end. */
  static final class Bench {
    private Bench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      try (WorkFolder folder = new WorkFolder()) {
        Path mounted = Files.createFile(folder.path().resolve("netns"));
        new ProcessBuilder("mount", "--bind", mounted.toString(), mounted.toString())
            .inheritIO()
            .start()
            .waitFor();
        Process program = new ProcessBuilder("sleep", "1000").start();
        System.out.println(folder.path() + " " + program.pid());
        if (arguments.length == 0) {
          program.waitFor();
        }
      }
    }
  }

  private static Process bench(String... arguments) throws IOException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Bench.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void assertGone(String said) throws IOException {
    String[] words = said.split(" ", -1);
    assertThat(Path.of(words[0])).doesNotExist();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(words[0]);
    assertThat(ProcessHandle.of(Long.parseLong(words[1]))).isEmpty();
  }

  @Test
  void sigtermLeavesNothing() throws Exception {
    Process bench = bench();
    try (BufferedReader lines = bench.inputReader(StandardCharsets.UTF_8)) {
      String said = lines.readLine();
      assertThat(Path.of(said.split(" ", -1)[0])).isDirectory();
      bench.destroy();
      assertThat(bench.waitFor()).isEqualTo(128 + 15);
      assertGone(said);
    } finally {
      bench.destroyForcibly();
    }
  }

  @Test
  void anEndOfItsOwnLeavesNothing() throws Exception {
    Process bench = bench("end");
    try (BufferedReader lines = bench.inputReader(StandardCharsets.UTF_8)) {
      String said = lines.readLine();
      assertThat(bench.waitFor()).isZero();
      assertGone(said);
    } finally {
      bench.destroyForcibly();
    }
  }
}
