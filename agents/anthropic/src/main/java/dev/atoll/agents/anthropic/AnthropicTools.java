package dev.atoll.agents.anthropic;

import com.anthropic.helpers.BetaRunnableTool;
import com.anthropic.models.beta.messages.BetaTool;
import com.anthropic.models.beta.messages.BetaToolResultBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageParam;
import com.anthropic.models.messages.ToolUnion;
import com.anthropic.models.messages.ToolUseBlock;
import dev.atoll.agents.tools.CallListener;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A sandbox's tools in the types of {@code anthropic-java}: send {@link #definitions()}, and while
 * the model stops for {@code tool_use}, send back {@link #results}.
 */
public final class AnthropicTools {
  private final SandboxTools tools;

  private AnthropicTools(SandboxTools tools) {
    this.tools = tools;
  }

  /** The tools of a sandbox. */
  public static AnthropicTools of(SandboxTools tools) {
    return new AnthropicTools(tools);
  }

  /** For {@code MessageCreateParams.builder().tools(...)}. */
  public List<ToolUnion> definitions() {
    return MessagesFormat.tools(tools.definitions());
  }

  /** Carries out all calls of a message; the answer for {@code addMessage(...)}. */
  public MessageParam results(Message message) {
    return results(message, CallListener.NONE);
  }

  /** Carries out all calls of a message, and tells of it while it happens. */
  public MessageParam results(Message message, CallListener listener) {
    List<ToolCall> calls =
        message.content().stream()
            .flatMap(block -> block.toolUse().stream())
            .map(AnthropicTools::call)
            .toList();
    List<ToolResult> results = tools.callAll(calls, listener);
    List<Map<String, Object>> blocks = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      blocks.add(MessagesFormat.result(calls.get(i).id(), results.get(i)));
    }
    return MessagesFormat.param("user", blocks);
  }

  private static ToolCall call(ToolUseBlock block) {
    return new ToolCall(block.id(), block.name(), MessagesFormat.write(block._input()));
  }

  /** For {@code client.beta().messages().toolRunner(...)}, which has a loop of its own. */
  public List<BetaRunnableTool> runnable() {
    return tools.definitions().stream().map(this::runnable).toList();
  }

  private BetaRunnableTool runnable(ToolDefinition definition) {
    BetaTool tool =
        MessagesFormat.JSON.convertValue(MessagesFormat.tool(definition), BetaTool.class);
    return BetaRunnableTool.of(
        tool,
        arguments ->
            MessagesFormat.JSON.convertValue(
                MessagesFormat.content(tools.call(definition.name(), arguments)),
                BetaToolResultBlockParam.Content.class));
  }
}
