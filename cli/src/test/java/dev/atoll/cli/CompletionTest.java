package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts, each run by the shell that it is for, which {@code ./atoll test} installs. */
class CompletionTest {
  private static final String SERVER =
      """
      case "$*" in
        "ls --quiet") echo lab; echo land ;;
        "snapshot ls --quiet") echo base ;;
        "templates --quiet") echo python; echo node ;;
      esac
      """;

  private final CliHarness cli = new CliHarness();
  @TempDir Path temp;

  @AfterEach
  void stop() {
    cli.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dow | down",
        "network al | allow",
        "fork la | lab land",
        "network allow lan | land",
        "run --sandbox la | lab land",
        "run -s lan | land",
        "run -t py | python",
        "create --template no | node",
        "create --from b | base",
        "snapshot info b | base",
        "template info n | node",
        "create --on-idle h | hibernate",
        "create --network al | allowlist",
        "create --memory 1g --template py | python",
        "create --persis | --persistent",
        "cp lab | lab:",
        "cp here.txt la | lab: land:",
        "key rm la | ''"
      })
  void offersWhatFits(String words, String offered) throws Exception {
    for (String shell : List.of("bash", "zsh", "fish")) {
      assertThat(offers(shell, words)).as(shell).containsExactlyElementsOf(words(offered));
    }
  }

  @Test
  void aCopyMayBeginWithAFileOfThisMachine() throws Exception {
    Files.writeString(temp.resolve("land.txt"), "");
    for (String shell : List.of("bash", "zsh", "fish")) {
      assertThat(offers(shell, "cp lan")).as(shell).contains("land:", "land.txt");
    }
  }

  @Test
  void aValueMayFollowItsOptionsEqualSign() throws Exception {
    // bash takes the sign for a word of its own.
    assertThat(offers("bash", "run --sandbox = lan")).containsExactly("land");
    assertThat(offers("zsh", "run --sandbox=lan")).containsExactly("--sandbox=land");
    assertThat(offers("fish", "run --sandbox=lan")).containsExactly("--sandbox=land");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void theScriptsNameEveryCommandOnce(String shell) {
    assertThat(cli.run("completion", shell)).isZero();
    assertThat(cli.out()).contains("templates", "exec", "doctor", "hibernate", "claim", "down");
    assertThat(cli.out()).doesNotContain("HIBERNATE", "ALLOWLIST", "unpause");
  }

  @Test
  void anotherShellIsRefused() {
    assertThat(cli.run("completion", "csh")).isEqualTo(2);
  }

  private static List<String> words(String text) {
    return Stream.of(text.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
  }

  /** What the shell offers at the end of these words. */
  private List<String> offers(String shell, String words) throws IOException, InterruptedException {
    try (CliHarness printing = new CliHarness()) {
      printing.run("completion", shell);
      Path script = Files.writeString(temp.resolve(".completion." + shell), printing.out());
      return shell.equals("fish") ? fish(script, words) : posix(shell, script, words);
    }
  }

  private List<String> posix(String shell, Path script, String words)
      throws IOException, InterruptedException {
    boolean zsh = shell.equals("zsh");
    // Outside a line editor there is nobody to register with.
    String text =
        """
        atoll() { %s }
        complete() { :; }
        compdef() { :; }
        bashcompinit() { :; }
        . %s
        %sCOMP_WORDS=(atoll %s)
        COMP_CWORD=%d
        _complete_atoll
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(
                SERVER,
                script,
                zsh ? "autoload() { :; }; setopt ksharrays; " : "",
                words,
                words(words).size());
    return zsh ? lines("zsh", "-f", "-c", text) : lines("bash", "--norc", "-c", text);
  }

  private List<String> fish(Path script, String words) throws IOException, InterruptedException {
    Path program = Files.writeString(temp.resolve(".atoll"), "#!/bin/sh\n" + SERVER);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    String text =
        "function atoll; %s $argv; end; source %s; complete -C 'atoll %s'"
            .formatted(program, script, words);
    return lines("fish", "--no-config", "-c", text).stream()
        .map(line -> line.split("\t", 2)[0])
        .toList();
  }

  private List<String> lines(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(temp.toFile());
    builder.environment().put("HOME", temp.toString());
    builder.redirectError(temp.resolve(".stderr").toFile());
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(temp.resolve(".stderr"))).isZero();
    return new ArrayList<>(said.lines().filter(line -> !line.isBlank()).sorted().toList());
  }
}
