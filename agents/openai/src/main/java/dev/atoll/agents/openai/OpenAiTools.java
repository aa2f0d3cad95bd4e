package dev.atoll.agents.openai;

import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageParam;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.Tool;
import dev.atoll.agents.tools.CallListener;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;

/**
 * A sandbox's tools in the types of {@code openai-java}. For chat completions send {@link
 * #chatTools()} and answer calls with {@link #chatAnswers}; for Responses {@link #responseTools()}
 * and {@link #responseOutputs}.
 */
public final class OpenAiTools {
  private final SandboxTools tools;

  private OpenAiTools(SandboxTools tools) {
    this.tools = tools;
  }

  /** The tools of a sandbox. */
  public static OpenAiTools of(SandboxTools tools) {
    return new OpenAiTools(tools);
  }

  /** For {@code ChatCompletionCreateParams.builder().tools(...)}. */
  public List<ChatCompletionTool> chatTools() {
    return ChatFormat.tools(tools.definitions());
  }

  /** For {@code ResponseCreateParams.builder().tools(...)}. */
  public List<Tool> responseTools() {
    return ResponsesFormat.tools(tools.definitions());
  }

  /** Carries out all calls of a message; the answers for {@code addMessage(...)}, in order. */
  public List<ChatCompletionMessageParam> chatAnswers(ChatCompletionMessage message) {
    List<ToolCall> calls =
        message.toolCalls().orElse(List.of()).stream()
            .flatMap((ChatCompletionMessageToolCall call) -> call.function().stream())
            .map(
                call ->
                    new ToolCall(call.id(), call.function().name(), call.function().arguments()))
            .toList();
    List<ToolResult> results = tools.callAll(calls, CallListener.NONE);
    return ChatFormat.answers(calls.stream().map(ToolCall::id).toList(), results);
  }

  /** Whether a response waits for calls to be carried out. */
  public static boolean hasCalls(Response response) {
    return response.output().stream().anyMatch(ResponseOutputItem::isFunctionCall);
  }

  /** Carries out all calls of a response; their outputs as input of the next request. */
  public List<ResponseInputItem> responseOutputs(Response response) {
    List<ToolCall> calls =
        response.output().stream()
            .flatMap(item -> item.functionCall().stream())
            .map(OpenAiTools::call)
            .toList();
    List<ToolResult> results = tools.callAll(calls, CallListener.NONE);
    List<ResponseInputItem> outputs = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      outputs.add(ResponsesFormat.output(calls.get(i).id(), results.get(i)));
    }
    return outputs;
  }

  static ToolCall call(ResponseFunctionToolCall call) {
    return new ToolCall(call.callId(), call.name(), call.arguments());
  }
}
