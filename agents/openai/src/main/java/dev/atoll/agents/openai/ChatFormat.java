package dev.atoll.agents.openai;

import com.openai.models.chat.completions.ChatCompletionMessageParam;
import com.openai.models.chat.completions.ChatCompletionTool;
import dev.atoll.agents.Message;
import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Our messages in the form of chat completions, by way of their JSON. */
final class ChatFormat {
  private ChatFormat() {}

  static List<ChatCompletionTool> tools(List<ToolDefinition> definitions) {
    return definitions.stream().map(ChatFormat::tool).toList();
  }

  private static ChatCompletionTool tool(ToolDefinition definition) {
    Map<String, Object> function =
        Map.of(
            "name", definition.name(),
            "description", definition.description(),
            "parameters", definition.inputSchema());
    return OpenAiClients.JSON.convertValue(
        Map.of("type", "function", "function", function), ChatCompletionTool.class);
  }

  static List<ChatCompletionMessageParam> messages(Message message) {
    return switch (message) {
      case Message.User user -> List.of(param(Map.of("role", "user", "content", user.text())));
      case Message.Assistant assistant -> List.of(param(assistant(assistant)));
      case Message.Results results ->
          answers(
              results.answers().stream().map(answer -> answer.call().id()).toList(),
              results.answers().stream().map(Message.Answer::result).toList());
    };
  }

  private static Map<String, Object> assistant(Message.Assistant assistant) {
    Map<String, Object> message = new LinkedHashMap<>(Map.of("role", "assistant"));
    message.put("content", assistant.text());
    if (!assistant.calls().isEmpty()) {
      message.put("tool_calls", assistant.calls().stream().map(ChatFormat::call).toList());
    }
    return message;
  }

  private static Map<String, Object> call(ToolCall call) {
    return Map.of(
        "id", call.id(),
        "type", "function",
        "function",
            Map.of(
                "name",
                call.name().isEmpty() ? "unnamed" : call.name(),
                "arguments",
                call.arguments()));
  }

  /** Images have no place in answers of tools, so they follow as a message of the user. */
  static List<ChatCompletionMessageParam> answers(List<String> ids, List<ToolResult> results) {
    List<ChatCompletionMessageParam> messages = new ArrayList<>();
    List<Map<String, Object>> images = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      ToolResult result = results.get(i);
      String text = result.text().isEmpty() ? "(see the image)" : result.text();
      messages.add(param(Map.of("role", "tool", "tool_call_id", ids.get(i), "content", text)));
      result.images().forEach(image -> images.add(image(image)));
    }
    if (!images.isEmpty()) {
      images.add(0, Map.of("type", "text", "text", "Images that the tools have shown:"));
      messages.add(param(Map.of("role", "user", "content", images)));
    }
    return messages;
  }

  private static Map<String, Object> image(Content.Image image) {
    return Map.of("type", "image_url", "image_url", Map.of("url", image.dataUrl()));
  }

  static ChatCompletionMessageParam param(Map<String, Object> message) {
    return OpenAiClients.JSON.convertValue(message, ChatCompletionMessageParam.class);
  }
}
