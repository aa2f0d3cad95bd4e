package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model replies: text, calls of tools, or both.
 *
 * @param cutOff whether it had no room to finish
 * @param raw as in {@link Message.Assistant}
 */
public record Reply(
    String text, List<ToolCall> calls, boolean cutOff, Usage usage, @Nullable String raw) {
  /** Copies. */
  public Reply {
    calls = List.copyOf(calls);
  }
}
