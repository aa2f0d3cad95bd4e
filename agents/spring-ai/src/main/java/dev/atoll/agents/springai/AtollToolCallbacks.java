package dev.atoll.agents.springai;

import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolResult;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.definition.ToolDefinition;

/**
 * The tools of a sandbox for a chat client: {@code
 * chatClient.prompt(text).tools(AtollToolCallbacks.of(tools)).call()}. Spring AI's tools answer
 * with text; images are named, not shown.
 */
public final class AtollToolCallbacks implements ToolCallbackProvider {
  private final SandboxTools tools;

  private AtollToolCallbacks(SandboxTools tools) {
    this.tools = tools;
  }

  /** The tools of a sandbox. */
  public static AtollToolCallbacks of(SandboxTools tools) {
    return new AtollToolCallbacks(tools);
  }

  @Override
  public ToolCallback[] getToolCallbacks() {
    return tools.definitions().stream().map(Callback::new).toArray(ToolCallback[]::new);
  }

  /** One tool. */
  private final class Callback implements ToolCallback {
    private final ToolDefinition definition;

    Callback(dev.atoll.agents.tools.ToolDefinition tool) {
      definition =
          ToolDefinition.builder()
              .name(tool.name())
              .description(tool.description())
              .inputSchema(tool.inputSchemaJson())
              .build();
    }

    @Override
    public ToolDefinition getToolDefinition() {
      return definition;
    }

    @Override
    public String call(String arguments) {
      ToolResult result = tools.call(definition.name(), arguments);
      int images = result.images().size();
      return images == 0
          ? result.text()
          : (result.text() + "\n[%d images were shown]".formatted(images)).strip();
    }
  }
}
