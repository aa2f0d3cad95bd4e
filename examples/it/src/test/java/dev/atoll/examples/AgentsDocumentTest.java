package dev.atoll.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the code in the documents to code that compiles. */
class AgentsDocumentTest {
  private static final Path SAMPLES = Path.of("src/test/java/dev/atoll/examples/AgentsSample.java");

  @Test
  void everyJavaBlockIsASampleThatCompiles() throws IOException {
    List<String> samples =
        find("(?s) // sample: [a-z-]+\n(.*?)\n    // end", Files.readString(SAMPLES));
    List<String> blocks = blocks("../../docs/agents.md");
    assertThat(blocks).hasSizeGreaterThan(5);
    assertThat(samples.stream().map(String::stripIndent)).containsAll(blocks);
    assertThat(blocks("../../README.md")).contains(samples.get(0).stripIndent());
  }

  private static List<String> blocks(String document) throws IOException {
    return find("(?s)```java\n(.*?)\n```", Files.readString(Path.of(document)));
  }

  private static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }
}
