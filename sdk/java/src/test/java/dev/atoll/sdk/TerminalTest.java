package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TerminalTest {
  private static final String CANCEL = "POST /v1/sandboxes/x/runs/run_1/cancel HTTP/1.1";

  private final FakeTerminalServer server = new FakeTerminalServer();

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Test
  void bytesGoBothWaysAndTheEndIsTold() throws Exception {
    try (Terminal terminal = open()) {
      assertThat(read(terminal, 2)).isEqualTo("$ ");
      terminal.resize(50, 120);
      terminal.write("é".repeat(300).getBytes(StandardCharsets.UTF_8));
      assertThat(read(terminal, 600)).isEqualTo("é".repeat(300));
      terminal.write("exit".getBytes(StandardCharsets.UTF_8));
      assertThat(terminal.output().read()).isEqualTo(-1);
      Optional<RunEvent.End> end = terminal.waitFor(Duration.ofSeconds(5));
      assertThat(end).map(RunEvent.End::exitCode).contains(3);
    }
    assertThat(server.texts()).containsExactly("{\"rows\":50,\"columns\":120}");
    assertThat(server.requests().get(1)).contains("\"pty\":{\"rows\":24,\"columns\":80}");
    assertThat(server.requests()).doesNotContain(CANCEL);
  }

  @Test
  void hangingUpKillsTheProgramAndEndsTheReader() throws Exception {
    Terminal terminal = open();
    read(terminal, 2);
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return terminal.output().read();
              } catch (IOException e) {
                return -2;
              }
            });
    assertThat(terminal.waitFor(Duration.ofMillis(50))).isEmpty();
    terminal.close();
    assertThat(reader.get(5, TimeUnit.SECONDS)).isEqualTo(-1);
    assertThat(server.requests()).contains(CANCEL);
  }

  private Terminal open() {
    Atoll atoll = Atoll.builder().url(server.url()).apiKey("k").build();
    return atoll.sandboxes().handle("x").terminal(List.of("sh"), c -> {});
  }

  private static String read(Terminal terminal, int bytes) throws Exception {
    return new String(terminal.output().readNBytes(bytes), StandardCharsets.UTF_8);
  }
}
