package dev.atoll.agents.anthropic;

import com.anthropic.core.ObjectMappers;
import com.anthropic.models.messages.MessageParam;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolUnion;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.atoll.agents.Message;
import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Our messages in the form of the Messages API, by way of its JSON. */
final class MessagesFormat {
  static final JsonMapper JSON = ObjectMappers.jsonMapper();
  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};
  private static final TypeReference<List<Map<String, Object>>> OBJECTS = new TypeReference<>() {};

  private MessagesFormat() {}

  static Map<String, Object> tool(ToolDefinition definition) {
    return Map.of(
        "name", definition.name(),
        "description", definition.description(),
        "input_schema", definition.inputSchema());
  }

  static List<ToolUnion> tools(List<ToolDefinition> definitions) {
    return definitions.stream()
        .map(one -> ToolUnion.ofTool(JSON.convertValue(tool(one), Tool.class)))
        .toList();
  }

  static MessageParam message(Message message) {
    return switch (message) {
      case Message.User user -> param("user", List.of(Map.of("type", "text", "text", user.text())));
      case Message.Assistant assistant -> param("assistant", blocks(assistant));
      case Message.Results results ->
          param(
              "user",
              results.answers().stream()
                  .map(answer -> result(answer.call().id(), answer.result()))
                  .toList());
    };
  }

  static MessageParam param(String role, List<Map<String, Object>> blocks) {
    return JSON.convertValue(Map.of("role", role, "content", blocks), MessageParam.class);
  }

  private static List<Map<String, Object>> blocks(Message.Assistant assistant) {
    if (assistant.raw() != null) {
      return read(assistant.raw(), OBJECTS);
    }
    List<Map<String, Object>> blocks = new ArrayList<>();
    if (!assistant.text().isBlank()) {
      blocks.add(Map.of("type", "text", "text", assistant.text()));
    }
    for (ToolCall call : assistant.calls()) {
      blocks.add(
          Map.of(
              "type",
              "tool_use",
              "id",
              call.id(),
              "name",
              call.name().isEmpty() ? "unnamed" : call.name(),
              "input",
              input(call.arguments())));
    }
    if (blocks.isEmpty()) {
      // The API takes no empty message.
      blocks.add(Map.of("type", "text", "text", "(nothing)"));
    }
    return blocks;
  }

  /** Arguments as an object, which is all that the API takes back. */
  static Map<String, Object> input(String arguments) {
    try {
      return JSON.readValue(arguments.isBlank() ? "{}" : arguments, OBJECT);
    } catch (JsonProcessingException e) {
      return Map.of("unreadable", arguments);
    }
  }

  static boolean isObject(String arguments) {
    return !input(arguments).containsKey("unreadable");
  }

  static Map<String, Object> result(String id, ToolResult result) {
    return Map.of(
        "type",
        "tool_result",
        "tool_use_id",
        id,
        "content",
        content(result),
        "is_error",
        result.error());
  }

  static List<Map<String, Object>> content(ToolResult result) {
    return result.content().stream().map(MessagesFormat::content).toList();
  }

  private static Map<String, Object> content(Content content) {
    return switch (content) {
      case Content.Text text -> Map.of("type", "text", "text", text.text());
      case Content.Image image ->
          Map.of(
              "type",
              "image",
              "source",
              Map.of("type", "base64", "media_type", image.mediaType(), "data", image.base64()));
    };
  }

  static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
