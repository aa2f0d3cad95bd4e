package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the code in the documents to code that compiles. */
class ReadmeTest {
  private static final Path SAMPLES = Path.of("src/test/java/dev/atoll/sdk/ReadmeSample.java");

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "../../docs/sdk.md"})
  void everyJavaBlockIsASampleThatCompiles(String document) throws IOException {
    List<String> samples =
        find("(?s) // sample: [a-z-]+\n(.*?)\n    // end", Files.readString(SAMPLES));
    List<String> blocks = find("(?s)```java\n(.*?)\n```", Files.readString(Path.of(document)));
    assertThat(samples).isNotEmpty();
    assertThat(blocks).isNotEmpty();
    assertThat(samples.stream().map(String::stripIndent)).containsAll(blocks);
  }

  /** Its other blocks are of agents, which have a test of their own. */
  @Test
  void theFrontPageBeginsWithASampleThatCompiles() throws IOException {
    List<String> samples =
        find("(?s) // sample: front\n(.*?)\n    // end", Files.readString(SAMPLES));
    List<String> blocks =
        find("(?s)```java\n(.*?)\n```", Files.readString(Path.of("../../README.md")));
    assertThat(blocks.get(0)).isEqualTo(samples.get(0).stripIndent());
  }

  private static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }
}
