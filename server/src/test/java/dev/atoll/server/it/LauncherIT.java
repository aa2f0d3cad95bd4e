package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code ./atoll} as users call it, with a data directory of its own. */
class LauncherIT {
  private Path home;

  @BeforeEach
  void makeHome() throws IOException {
    home = TestHome.create();
  }

  @AfterEach
  void removeHome() throws Exception {
    atoll("down", "--all");
    TestHome.remove(home);
  }

  private record Ended(int status, String out, String all) {}

  private Ended atoll(String... arguments) throws IOException, InterruptedException {
    return atoll(Map.of(), arguments);
  }

  private Ended atoll(Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("./atoll"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(RealServer.CHECKOUT.toFile());
    Map<String, String> environment = builder.environment();
    String tools = environment.getOrDefault("ATOLL_TOOLS", "/var/lib/atoll/tools");
    environment.putAll(
        Map.of("ATOLL_HOME", home.toString(), "ATOLL_TOOLS", tools, "ATOLL_SERVER_PORT", "0"));
    environment.putAll(variables);
    Path errors = home.resolve("launcher.err");
    Process process = builder.redirectError(errors.toFile()).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    return new Ended(status, out, out + Files.readString(errors));
  }

  @Test
  void downWithAllEndsEverySandbox() throws Exception {
    Ended ran = atoll("run", "-c", "print(sum(range(101)))");
    assertThat(ran.out()).as(ran.all()).isEqualTo("5050\n");
    assertThat(atoll("create", "one").status()).isZero();
    assertThat(atoll("create", "other").status()).isZero();

    Ended stopped = atoll("down");
    assertThat(stopped.all()).contains("2 sandboxes remain");
    Ended ended = atoll("down", "--all");

    assertThat(ended.status()).as(ended.all()).isZero();
    assertThat(ended.all()).contains("the server has stopped").doesNotContain("remain");
    assertThat(home.resolve("sandboxes")).isEmptyDirectory();
    assertThat(ProcessHandle.allProcesses().map(RealServer::commandLine))
        .noneMatch(line -> line.contains(home.toString()));
  }

  @Test
  void namesOfFilesAreWholeWhereNoLocaleIsSet() throws Exception {
    Map<String, String> plain = Map.of("LC_ALL", "C");
    String write = "open('Größe.txt', 'w').write('x')";
    Ended ran = atoll(plain, "run", "--sandbox", "s", "-c", write);
    assertThat(ran.status()).as(ran.all()).isZero();

    Ended copied = atoll(plain, "cp", "s:Größe.txt", home.toString());

    assertThat(copied.status()).as(copied.all()).isZero();
    assertThat(home.resolve("Größe.txt")).hasContent("x");
  }
}
