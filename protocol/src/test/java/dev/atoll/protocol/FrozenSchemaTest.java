package dev.atoll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Agents frozen in checkpoints outlive the host, so a released generation never changes. A change
 * of the protocol is a new generation with a file of its own here.
 */
class FrozenSchemaTest {
  private static final Pattern DECLARATION =
      Pattern.compile("^ *(message|enum|oneof|[\\w. ]+ = \\d+;).*", Pattern.MULTILINE);

  @Test
  void theCurrentSchemaIsTheNewestFrozenGeneration() throws IOException {
    String current = Files.readString(Path.of("src/main/proto/agent.proto"));
    String frozen = Files.readString(Path.of("schema/gen-3.proto"));
    assertThat(current).isEqualTo(frozen);
  }

  @Test
  void aGenerationOnlyAddsToTheOneBefore() throws IOException {
    List<String> first = declarations(Path.of("schema/gen-1.proto"));
    List<String> second = declarations(Path.of("schema/gen-2.proto"));
    assertThat(first).hasSizeGreaterThan(150);
    assertThat(second).containsSubsequence(first);
    assertThat(declarations(Path.of("schema/gen-3.proto"))).containsSubsequence(second);
  }

  private static List<String> declarations(Path schema) throws IOException {
    return DECLARATION
        .matcher(Files.readString(schema))
        .results()
        .map(match -> match.group().strip())
        .toList();
  }
}
