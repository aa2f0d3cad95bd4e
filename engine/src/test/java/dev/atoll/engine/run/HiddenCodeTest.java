package dev.atoll.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HiddenCodeTest {
  @Test
  void aLiteralIsPlainAsciiForAnyText() {
    assertThat(HiddenCode.literal("a\"\\\nä😀"))
        .isEqualTo("\"a\\U00000022\\U0000005c\\U0000000a\\U000000e4\\U0001f600\"");
  }

  @Test
  void warmingUpALargeKernelChangesNothingInIt() throws IOException {
    String code =
        """
        import ctypes
        data = bytearray(64 << 20)
        before = sorted(globals())
        modules = set(__import__("sys").modules)
        """
            + HiddenCode.read(Runs.class, "warm_up.py").with("None")
            + """
            print(sorted(set(globals()) - set(before)), set(__import__("sys").modules) - modules)
            """;
    Process python = new ProcessBuilder("python3", "-c", code).redirectErrorStream(true).start();
    python.getOutputStream().close();
    String printed =
        new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(printed).isEqualTo("['before', 'modules'] set()");
  }
}
