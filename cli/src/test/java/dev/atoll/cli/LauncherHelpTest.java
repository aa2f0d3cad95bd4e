package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
