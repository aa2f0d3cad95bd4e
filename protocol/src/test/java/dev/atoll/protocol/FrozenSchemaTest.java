package dev.atoll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Agents frozen in checkpoints outlive the host, so a released generation never changes. A change
 * of the protocol is a new generation with a file of its own here.
 */
class FrozenSchemaTest {
  @Test
  void theCurrentSchemaIsTheFrozenGenerationOne() throws IOException {
    String current = Files.readString(Path.of("src/main/proto/agent.proto"));
    String frozen = Files.readString(Path.of("schema/gen-1.proto"));
    assertThat(current).isEqualTo(frozen);
  }
}
