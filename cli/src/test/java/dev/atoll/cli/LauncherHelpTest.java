package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The launcher shows help before anything is built, so it keeps the CLI's texts in files. */
class LauncherHelpTest {
  private static final Path LAUNCHER = Path.of("../launcher/help");
  private static final Path MADE = Path.of("target/help");

  @Test
  void theLaunchersTextsAreThoseOfTheCommandLine() throws IOException {
    Map<String, String> made = texts();
    Files.createDirectories(MADE);
    for (Map.Entry<String, String> text : made.entrySet()) {
      Files.writeString(MADE.resolve(text.getKey()), text.getValue());
    }
    Map<String, String> kept = new TreeMap<>();
    try (Stream<Path> files = Files.list(LAUNCHER)) {
      for (Path file : files.toList()) {
        kept.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    assertThat(kept)
        .as("cp cli/target/help/*.txt launcher/help/ after a change of the commands")
        .isEqualTo(made);
  }

  @Test
  void everyCommandIsInTheOverviewOnce() {
    List<String> lines = texts().getOrDefault("atoll.txt", "").lines().toList();
    assertThat(whole().getSubcommands().keySet())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            name -> assertThat(lines).filteredOn(l -> l.startsWith("  " + name + " ")).hasSize(1));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0, atoll.txt",
    "help, 0, atoll.txt",
    "--help, 0, atoll.txt",
    "help down, 0, down.txt",
    "up --help, 0, up.txt",
    "setup -h, 0, setup.txt",
    "test unit --help, 0, test.txt"
  })
  void theLauncherShowsThemAndTouchesNothing(
      String arguments, int status, String text, @TempDir Path temp) throws Exception {
    Path home = temp.resolve("home");
    assertThat(launch(home, arguments, status)).isEqualTo(Files.readString(LAUNCHER.resolve(text)));
    assertThat(home).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"up --nosuch", "down now", "setup all"})
  void itsUsageErrorsExitWith2(String arguments, @TempDir Path temp) throws Exception {
    assertThat(launch(temp, arguments, 2)).startsWith("atoll: " + arguments.split(" ", -1)[0]);
  }

  private static String launch(Path home, String arguments, int status) throws Exception {
    List<String> command = new ArrayList<>(List.of("../atoll"));
    Stream.of(arguments.split(" ", -1)).filter(word -> !word.isEmpty()).forEach(command::add);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ATOLL_HOME", home.toString());
    Process launcher = builder.start();
    launcher.getOutputStream().close();
    String said = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(launcher.waitFor()).as(said).isEqualTo(status);
    return said;
  }

  private static Map<String, String> texts() {
    Map<String, String> texts = new TreeMap<>();
    CommandLine whole = whole();
    texts.put("atoll.txt", whole.getUsageMessage(Ansi.OFF));
    whole
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getCommand() instanceof LauncherCommand) {
                texts.put(name + ".txt", command.getUsageMessage(Ansi.OFF));
              }
            });
    return texts;
  }

  private static CommandLine whole() {
    return Catalogue.whole(new Session(Stdio.system(), new Interrupts(c -> {}, c -> {})));
  }
}
