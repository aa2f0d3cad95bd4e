package dev.atoll.examples.scripted;

import static dev.atoll.examples.scripted.Dialect.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Anthropic's Messages API. */
final class AnthropicDialect implements Dialect {
  @Override
  public String path() {
    return "/v1/messages";
  }

  @Override
  public Heard hear(JsonNode request) {
    List<Heard.Entry> entries = new ArrayList<>();
    for (JsonNode message : request.path("messages")) {
      JsonNode content = message.path("content");
      if (message.path("role").asString().equals("assistant")) {
        entries.add(new Heard.Entry(Heard.Who.MODEL, Dialect.text(content)));
      } else {
        for (JsonNode block : content) {
          if (block.path("type").asString("").equals("tool_result")) {
            entries.add(new Heard.Entry(Heard.Who.TOOL, Dialect.text(block.path("content"))));
          }
        }
        String text = Dialect.text(content);
        if (!text.isEmpty()) {
          entries.add(new Heard.Entry(Heard.Who.USER, text));
        }
      }
    }
    return new Heard(entries);
  }

  @Override
  public Object reply(Turn turn, String model, int number) {
    Map<String, @Nullable Object> message = message(model, number);
    List<Object> content = new ArrayList<>();
    if (!turn.text().isEmpty()) {
      content.add(object("type", "text", "text", turn.text()));
    }
    for (int i = 0; i < turn.calls().size(); i++) {
      Map<String, @Nullable Object> block = toolUse(turn.calls().get(i), number, i);
      block.put("input", input(turn.calls().get(i).arguments()));
      content.add(block);
    }
    message.put("content", content);
    message.put("stop_reason", turn.calls().isEmpty() ? "end_turn" : "tool_use");
    message.put("usage", object("input_tokens", 100, "output_tokens", Dialect.tokens(turn)));
    return message;
  }

  /** The format has no place for arguments that are no object, except in pieces. */
  private static Object input(String arguments) {
    try {
      JsonNode node = JsonMapper.shared().readTree(arguments);
      return node.isObject() ? node : Map.of();
    } catch (JacksonException e) {
      return Map.of();
    }
  }

  private static Map<String, @Nullable Object> message(String model, int number) {
    return object(
        "id",
        "msg_scripted_" + number,
        "type",
        "message",
        "role",
        "assistant",
        "model",
        model,
        "content",
        List.of(),
        "stop_reason",
        null,
        "stop_sequence",
        null,
        "usage",
        object("input_tokens", 100, "output_tokens", 1));
  }

  private static Map<String, @Nullable Object> toolUse(Turn.Call call, int number, int index) {
    String id = "toolu_" + number + "_" + index;
    return object("type", "tool_use", "id", id, "name", call.name(), "input", Map.of());
  }

  @Override
  public List<Event> stream(Turn turn, String model, int number) {
    List<Event> events = new ArrayList<>();
    add(events, object("type", "message_start", "message", message(model, number)));
    int index = 0;
    if (!turn.text().isEmpty()) {
      block(events, index++, object("type", "text", "text", ""), "text_delta", "text", turn.text());
    }
    for (int i = 0; i < turn.calls().size(); i++) {
      Turn.Call call = turn.calls().get(i);
      Map<String, @Nullable Object> block = toolUse(call, number, i);
      block(events, index++, block, "input_json_delta", "partial_json", call.arguments());
    }
    String reason = turn.calls().isEmpty() ? "end_turn" : "tool_use";
    add(
        events,
        object(
            "type", "message_delta",
            "delta", object("stop_reason", reason, "stop_sequence", null),
            "usage", object("output_tokens", Dialect.tokens(turn))));
    add(events, object("type", "message_stop"));
    return events;
  }

  private static void block(
      List<Event> events,
      int index,
      Map<String, @Nullable Object> block,
      String delta,
      String field,
      String text) {
    add(events, object("type", "content_block_start", "index", index, "content_block", block));
    for (String piece : Dialect.pieces(text)) {
      Map<String, @Nullable Object> part = object("type", delta, field, piece);
      add(events, object("type", "content_block_delta", "index", index, "delta", part));
    }
    add(events, object("type", "content_block_stop", "index", index));
  }

  private static void add(List<Event> events, Map<String, @Nullable Object> data) {
    events.add(new Event(String.valueOf(data.get("type")), data));
  }
}
