package dev.atoll.agents.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.Tool;
import dev.atoll.agents.Message;
import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Our messages in the form of Responses, by way of their JSON. */
final class ResponsesFormat {
  private static final TypeReference<List<ResponseInputItem>> ITEMS = new TypeReference<>() {};

  private ResponsesFormat() {}

  static List<Tool> tools(List<ToolDefinition> definitions) {
    return definitions.stream().map(ResponsesFormat::tool).toList();
  }

  private static Tool tool(ToolDefinition definition) {
    return OpenAiClients.JSON.convertValue(
        Map.of(
            "type", "function",
            "name", definition.name(),
            "description", definition.description(),
            "parameters", definition.inputSchema(),
            "strict", false),
        Tool.class);
  }

  static List<ResponseInputItem> items(Message message) {
    return switch (message) {
      case Message.User user -> List.of(item(Map.of("role", "user", "content", user.text())));
      case Message.Assistant assistant -> assistant(assistant);
      case Message.Results results ->
          results.answers().stream()
              .map(answer -> output(answer.call().id(), answer.result()))
              .toList();
    };
  }

  private static List<ResponseInputItem> assistant(Message.Assistant assistant) {
    if (assistant.raw() != null) {
      return read(assistant.raw());
    }
    List<ResponseInputItem> items = new ArrayList<>();
    if (!assistant.text().isBlank()) {
      items.add(item(Map.of("role", "assistant", "content", assistant.text())));
    }
    assistant.calls().forEach(call -> items.add(call(call)));
    return items;
  }

  private static ResponseInputItem call(ToolCall call) {
    return item(
        Map.of(
            "type",
            "function_call",
            "call_id",
            call.id(),
            "name",
            call.name().isEmpty() ? "unnamed" : call.name(),
            "arguments",
            call.arguments()));
  }

  static ResponseInputItem output(String callId, ToolResult result) {
    List<Map<String, Object>> parts = new ArrayList<>();
    for (Content content : result.content()) {
      parts.add(
          switch (content) {
            case Content.Text text -> Map.of("type", "input_text", "text", text.text());
            case Content.Image image ->
                Map.of("type", "input_image", "image_url", image.dataUrl(), "detail", "auto");
          });
    }
    return item(Map.of("type", "function_call_output", "call_id", callId, "output", parts));
  }

  private static ResponseInputItem item(Map<String, Object> item) {
    return OpenAiClients.JSON.convertValue(item, ResponseInputItem.class);
  }

  private static List<ResponseInputItem> read(String json) {
    try {
      return OpenAiClients.JSON.readValue(json, ITEMS);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
