package dev.atoll.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;

/** Serves the Model Context Protocol on standard input and output. */
@Command(
    name = "mcp",
    description = {
      "Serve the Model Context Protocol on standard input and output.",
      "For Claude Desktop, Cursor, VS Code, Cline and others: docs/mcp.md has the line of"
          + " configuration for each. The sandbox of the session ends with it."
    })
final class McpCommand extends AtollCommand {
  @Override
  public Integer call() throws IOException {
    // Messages alone may be on standard output, so the server is found, or started, before.
    McpBridge bridge = new McpBridge(atoll()::endpoint, stdio().out());
    try (Interrupts.Guard _ = session().interrupts().guard(bridge::close);
        bridge;
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stdio().in(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          bridge.take(line);
        }
      }
      bridge.awaitAnswers();
    }
    return ExitCode.OK;
  }
}
