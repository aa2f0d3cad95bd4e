package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code docs/threat-model.md} promises is held by tests that exist. */
final class SecurityDocumentTest {
  private static final Path ROOT = Path.of("..");
  private static final Path DOCUMENT = ROOT.resolve("docs/threat-model.md");
  private static final Pattern JAVA =
      Pattern.compile("`([A-Z]\\w*(?:Test|IT|Fuzz))(?:\\.(\\w+))?`");
  private static final Pattern PYTHON = Pattern.compile("`(test_\\w+\\.py)(?:::(\\w+))?`");

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Map<String, String> sources = sources();
    String document = Files.readString(DOCUMENT);
    List<String> missing = new ArrayList<>();
    for (Pattern pattern : List.of(JAVA, PYTHON)) {
      Matcher named = pattern.matcher(document);
      while (named.find()) {
        String file = pattern == JAVA ? named.group(1) + ".java" : named.group(1);
        String source = sources.getOrDefault(file, "");
        // A test, or a factory of tests.
        String declared = pattern == JAVA ? "(void|Stream<DynamicTest>) " : "def ";
        if (source.isEmpty()
            || (named.group(2) != null
                && !Pattern.compile(declared + named.group(2) + "\\(").matcher(source).find())) {
          missing.add(named.group());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyPromiseNamesItsTestsOrSaysWhatHoldsIt() throws IOException {
    List<String> rows =
        Files.readString(DOCUMENT)
            .lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| promise "))
            .toList();
    assertThat(rows)
        .hasSizeGreaterThan(30)
        .allMatch(row -> row.matches("\\| [^|]+ \\| [^|]+ \\| [^|]*[`\\w][^|]* \\|"));
  }

  /** Tests by the names of their files, which several modules may have in common. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files =
        Files.find(
            ROOT,
            20,
            (path, attributes) ->
                attributes.isRegularFile()
                    && path.toString().matches(".*(Test|IT|Fuzz)\\.java|.*/test_\\w+\\.py"))) {
      for (Path file : files.filter(path -> !path.toString().contains("/target/")).toList()) {
        sources.merge(file.getFileName().toString(), Files.readString(file), String::concat);
      }
    }
    return sources;
  }
}
