package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What is read without picocli must mean what picocli makes of it. */
class PlainRunTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "run|-c|print(1)",
        "run|file.py",
        "run|-",
        "run|-s|box|--timeout|1.5m|-c|a = 1; print('b')",
        "run|--template|python|--memory|1g|--code|x\ny",
        "run|-t|python|file.py|--sandbox|box",
        "run|--from|base|-c|x",
        "run|-c|'quoted'",
        "run|-l|bash|-c|x",
        "run|--language|js|f",
        "run|-c|"
      })
  void bothReadersAgree(String line) {
    String[] args = line.split("\\|", -1);
    RunCommand plain = PlainRun.parse(args).orElseThrow();
    CommandLine root =
        Catalogue.whole(new Session(Stdio.system(), new Interrupts(c -> {}, c -> {})));
    RunCommand full =
        root.parseArgs(args).subcommand().commandSpec().userObject() instanceof RunCommand run
            ? run
            : new RunCommand();
    assertThat(plain).usingRecursiveComparison().ignoringFields("session").isEqualTo(full);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "ls",
        "run|--help",
        "run|-c",
        "run|-c|x|-c|y",
        "run|-cx",
        "run|--code=x",
        "run|--timeout|soon|f",
        "run|a|b",
        "run|-c|-1",
        "run|-c|\"double\"",
        "run|--unknown|x",
        "run|-c|${sys:user.home}"
      })
  void whatIsNotPlainIsLeftToPicocli(String line) {
    assertThat(PlainRun.parse(line.split("\\|", -1))).isEmpty();
  }
}
