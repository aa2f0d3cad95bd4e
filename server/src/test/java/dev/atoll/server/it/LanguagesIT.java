package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.InvalidRequestException;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every language kernel in a real sandbox. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LanguagesIT {
  private static final Path CONTRACTS = Path.of("../guest/test/contract");
  private static final Path NOTEBOOKS = Path.of("src/test/resources/notebooks");

  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    server.build("node");
    server.build("java");
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  private Sandbox sandbox(String template) {
    return atoll.sandboxes().create(s -> s.template(template).env("THAWED", "yes"));
  }

  @ParameterizedTest
  @CsvSource({"python,python", "bash,python", "javascript,node", "typescript,node", "java,java"})
  void aKernelKeepsItsContract(String language, String template) throws IOException {
    List<KernelSession> sessions = KernelSession.read(CONTRACTS.resolve(language + ".txt"));
    assertThat(sessions).hasSizeGreaterThan(10);
    try (Sandbox sandbox = sandbox(template)) {
      KernelPlayer player = new KernelPlayer(sandbox, language);
      for (int i = 0; i < sessions.size(); i++) {
        player.play(sessions.get(i), i);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"python,python", "bash,python", "javascript,node", "typescript,node", "java,java"})
  void aSessionOfThirtyStepsGoesAsAPersonExpects(String language, String template)
      throws IOException {
    KernelSession session = KernelSession.read(NOTEBOOKS.resolve(language + ".txt")).getFirst();
    assertThat(session.steps()).hasSizeGreaterThanOrEqualTo(30);
    try (Sandbox sandbox = sandbox(template)) {
      new KernelPlayer(sandbox, language).play(session, 0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "python,python,x = 5,while True: pass,x,5,",
    "bash,python,x=5,sleep 300,echo $x,,5",
    "javascript,node,var x = 5,while (true) {},x,5,",
    "java,java,int x = 5;,while (true) {},x,5,"
  })
  void timeoutsKeepTheVariablesAndRestartsDoNot(
      String language,
      String template,
      String setting,
      String endless,
      String asking,
      String value,
      String printed) {
    try (Sandbox sandbox = sandbox(template)) {
      sandbox.runCode(setting, c -> c.language(language).context("c"));
      RunResult late =
          sandbox.runCode(
              endless, c -> c.language(language).context("c").timeout(Duration.ofMillis(500)));
      assertThat(late.status()).isEqualTo(RunStatus.TIMEOUT);
      assertThat(late.message()).contains("are kept");
      RunResult kept = sandbox.runCode(asking, c -> c.context("c"));
      assertThat(kept.text()).isEqualTo(Optional.ofNullable(value));
      assertThat(kept.stdout().strip()).isEqualTo(printed == null ? "" : printed);
      sandbox.contexts().restart("c");
      assertThat(sandbox.contexts().list().getFirst().language()).isEqualTo(language);
      RunResult fresh = sandbox.runCode(asking, c -> c.context("c"));
      assertThat(fresh.stdout().strip() + (fresh.error() == null ? "" : "!")).isIn("", "!");
    }
  }

  @Test
  void packagesOfNpmAreFoundAndCodeWithoutALanguageIsInThatOfTheTemplate() {
    try (Sandbox sandbox = sandbox("node")) {
      assertThat(sandbox.runCode("typeof require + process.versions.node.split('.')[0]").text())
          .hasValue("'function24'");
      assertThat(sandbox.shell("npm --version").stdout()).startsWith("11.");
      sandbox.shell(
          "mkdir -p node_modules/local-thing && cd node_modules/local-thing"
              + " && echo 'module.exports = { answer: 42 }' > index.js");
      assertThat(sandbox.runCode("require('local-thing').answer").text()).hasValue("42");
      assertThat(
              sandbox
                  .runCode(
                      "import thing from 'local-thing';\nthing.answer as number",
                      c -> c.language("ts"))
                  .text())
          .hasValue("42");
    }
  }

  @Test
  void aliasesMeanTheSameContextAndUnknownLanguagesAreRefusedWithThoseThatThereAre() {
    try (Sandbox sandbox = sandbox("python")) {
      sandbox.runCode("x=1", c -> c.language("sh"));
      assertThat(sandbox.runCode("echo $x", c -> c.language("Bash")).stdout()).isEqualTo("1\n");
      sandbox.runCode("y = 2");
      assertThat(sandbox.runCode("y", c -> c.language("py")).text()).hasValue("2");
      assertThatThrownBy(() -> sandbox.runCode("1", c -> c.language("cobol")))
          .isInstanceOfSatisfying(
              InvalidRequestException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_LANGUAGE))
          .hasMessageContaining("it has bash, python");
    }
  }
}
