package dev.atoll.agents;

import dev.atoll.agents.tools.ToolDefinition;
import java.util.List;

/**
 * All that a model is sent for one reply.
 *
 * @param instructions its system prompt
 */
public record Prompt(String instructions, List<Message> messages, List<ToolDefinition> tools) {
  /** Copies. */
  public Prompt {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
  }
}
