package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.it.Schemathesis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract is as strict as the server and the server as the contract, in the eyes of a program
 * that nobody here wrote. What it finds and what is meant so is in {@code
 * contract/schemathesis.toml}, with reasons.
 */
class ContractIT {
  @TempDir Path folder;

  @Test
  void schemathesisFindsNothing() throws Exception {
    Schemathesis schemathesis = Schemathesis.install();
    Schemathesis.Outcome outcome;
    try (EngineFixture server = new EngineFixture(folder)) {
      outcome =
          schemathesis.run(
              Path.of("../spec/openapi.yaml").toAbsolutePath().normalize(),
              server.url(""),
              server.key(),
              List.of(
                  "--phases",
                  "examples,coverage,fuzzing",
                  "--max-examples",
                  "2",
                  "--seed",
                  "20261117",
                  "--no-shrink",
                  "--continue-on-failure",
                  "--workers",
                  "1",
                  "--request-timeout",
                  "10",
                  "--max-time",
                  "120"));
    }
    Files.writeString(Path.of("target/schemathesis.txt"), outcome.output());
    assertThat(outcome.status()).as(outcome.output()).isZero();
  }
}
