package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.it.McpClients;
import dev.atoll.server.mcp.ExampleServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole of the official conformance suite of the Model Context Protocol. Most of its scenarios
 * call tools of their own, which {@link ExampleServer} adds to those of this server; sessions,
 * transport and HTTP are those of every other server. Its sandboxes are fakes: none is needed.
 */
class McpConformanceIT {
  @TempDir Path folder;

  @Test
  void theSuitePassesButForWhatTheBaselineExplains() throws Exception {
    McpClients clients = McpClients.install();
    try (EngineFixture server = new EngineFixture(folder, ExampleServer::service)) {
      McpClients.Outcome outcome =
          clients.conformance(
              server.url(""),
              server.key(),
              "--suite",
              "all",
              "--expected-failures",
              "baseline.yml");
      assertThat(outcome.status()).as(outcome.output()).isZero();
      assertThat(outcome.output())
          .contains("✓ server-initialize", "✓ ping", "✓ dns-rebinding-protection")
          .contains("✓ tools-call-with-progress", "✓ tools-call-with-logging")
          .contains("✓ tools-call-sampling", "✓ tools-call-elicitation", "✓ tools-call-image");
    }
  }
}
