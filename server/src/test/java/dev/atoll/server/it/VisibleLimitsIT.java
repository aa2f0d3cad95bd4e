package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Programs size themselves by what they see of their limits, so that must be true. */
class VisibleLimitsIT {
  private static RealServer server;
  private static Atoll atoll;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static final String SEEN =
      """
      import os, resource, subprocess
      memory = int(open('/proc/meminfo').read().split()[1]) // 1024
      print(len(os.sched_getaffinity(0)), subprocess.getoutput('nproc'),
            memory, resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20)
      """;

  /** In a kernel that was started when the template was made, and in a program of now. */
  private static List<String> seenBy(Sandbox sandbox) {
    String inKernel = sandbox.runCode(SEEN).stdout();
    sandbox.files().write("/tmp/seen.py", SEEN);
    String inProgram = sandbox.run("python3", "/tmp/seen.py").stdout();
    return List.of(inKernel.strip(), inProgram.strip());
  }

  @Test
  void processorsMemoryAndSizesOfFilesAreThoseOfTheSandbox() {
    try (Sandbox small = atoll.sandboxes().create(s -> s.cpus(0.5).memoryMiB(256).diskMiB(512));
        Sandbox large = atoll.sandboxes().create(s -> s.cpus(2).memoryMiB(768).diskMiB(3072))) {
      assertThat(seenBy(small)).containsOnly("1 1 256 512");
      int processors = Math.min(2, Runtime.getRuntime().availableProcessors());
      assertThat(seenBy(large)).containsOnly("%1$d %1$d 768 3072".formatted(processors));
    }
  }
}
