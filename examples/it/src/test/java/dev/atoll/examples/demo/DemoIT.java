package dev.atoll.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.it.RealServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo as people see it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DemoIT {
  private RealServer server;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "responses"})
  void itTellsTheWholeStoryInEveryWireFormat(String format) throws IOException {
    assertThat(run(0, "--format", format))
        .contains("The model is scripted")
        .contains("TypeError")
        .contains("The mean is 172.9 visitors a day.")
        .contains("[branch 1] ", "[branch 2] ", "[branch 3] ")
        .contains("=> branch 3 wins")
        .contains("About 241 visitors")
        .endsWith("nothing of it is left.\n");
    assertThat(server.atoll().sandboxes().list().stream()).isEmpty();
  }

  @Test
  void branchesAreToldOneAfterTheOther() throws IOException {
    List<String> labels =
        run(0)
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("[branch "))
            .map(line -> line.substring(0, "[branch 1]".length()))
            .toList();
    assertThat(labels.stream().distinct()).hasSize(3);
    long changes = 1;
    for (int i = 1; i < labels.size(); i++) {
      changes += labels.get(i).equals(labels.get(i - 1)) ? 0 : 1;
    }
    assertThat(changes).isEqualTo(3);
  }

  @Test
  void eventsAreJsonLines() throws IOException {
    assertThat(run(0, "--output", "json").lines())
        .allMatch(line -> line.startsWith("{\"event\":\""))
        .anyMatch(line -> line.contains("\"event\":\"merged\",\"branch\":3"));
  }

  @Test
  void itsUsageErrorsExitWith2() throws IOException {
    assertThat(run(2, "--loud")).isEqualTo("atoll: demo: there is no option --loud\n");
    assertThat(run(2, "--format", "morse")).contains("anthropic, openai or responses");
  }

  private String run(int status, String... arguments) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Map<String, String> environment = Map.of("ATOLL_HOME", server.home().toString());
    assertThat(Demo.run(List.of(arguments), environment, out, out))
        .as(bytes::toString)
        .isEqualTo(status);
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
