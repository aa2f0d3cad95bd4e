package dev.atoll.server.mcp;

import java.time.Duration;

/**
 * How long sessions and their sandboxes last.
 *
 * @param sessionIdle after which a session that nobody uses is ended, and its sandboxes with it
 * @param sandboxTtl the longest life of a session's sandbox, should nothing else end it
 */
public record McpSettings(Duration sessionIdle, Duration sandboxTtl) {
  public McpSettings {
    require(sessionIdle.toMillis() >= 1000, "mcp.session-idle must be 1 s or more");
    require(sandboxTtl.toMillis() >= 1000, "mcp.sandbox-ttl must be 1 s or more");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
