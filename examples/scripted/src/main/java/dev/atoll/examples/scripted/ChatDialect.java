package dev.atoll.examples.scripted;

import static dev.atoll.examples.scripted.Dialect.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** OpenAI's chat completions. */
final class ChatDialect implements Dialect {
  @Override
  public String path() {
    return "/v1/chat/completions";
  }

  @Override
  public Heard hear(JsonNode request) {
    List<Heard.Entry> entries = new ArrayList<>();
    for (JsonNode message : request.path("messages")) {
      String text = Dialect.text(message.path("content"));
      switch (message.path("role").asString()) {
        case "assistant" -> entries.add(new Heard.Entry(Heard.Who.MODEL, text));
        case "tool" -> entries.add(new Heard.Entry(Heard.Who.TOOL, text));
        case "user" -> entries.add(new Heard.Entry(Heard.Who.USER, text));
        default -> {} // instructions
      }
    }
    return new Heard(entries);
  }

  @Override
  public Object reply(Turn turn, String model, int number) {
    Map<String, @Nullable Object> message =
        object("role", "assistant", "content", turn.text().isEmpty() ? null : turn.text());
    List<Object> calls = new ArrayList<>();
    for (int i = 0; i < turn.calls().size(); i++) {
      calls.add(call(turn.calls().get(i), number, i));
    }
    if (!calls.isEmpty()) {
      message.put("tool_calls", calls);
    }
    Map<String, @Nullable Object> completion = head("chat.completion", model, number);
    completion.put(
        "choices", List.of(object("index", 0, "message", message, "finish_reason", reason(turn))));
    completion.put("usage", usage(turn));
    return completion;
  }

  private static Map<String, @Nullable Object> head(String kind, String model, int number) {
    return object(
        "id",
        "chatcmpl-scripted-" + number,
        "object",
        kind,
        "created",
        1_760_000_000,
        "model",
        model);
  }

  private static String reason(Turn turn) {
    return turn.calls().isEmpty() ? "stop" : "tool_calls";
  }

  private static Map<String, @Nullable Object> usage(Turn turn) {
    int tokens = Dialect.tokens(turn);
    return object("prompt_tokens", 100, "completion_tokens", tokens, "total_tokens", 100 + tokens);
  }

  private static Map<String, @Nullable Object> call(Turn.Call call, int number, int index) {
    return object(
        "id",
        "call_" + number + "_" + index,
        "type",
        "function",
        "function",
        object("name", call.name(), "arguments", call.arguments()));
  }

  @Override
  public List<Event> stream(Turn turn, String model, int number) {
    List<Event> events = new ArrayList<>();
    chunk(events, model, number, object("role", "assistant", "content", ""), null);
    for (String piece : Dialect.pieces(turn.text())) {
      chunk(events, model, number, object("content", piece), null);
    }
    for (int i = 0; i < turn.calls().size(); i++) {
      Turn.Call call = turn.calls().get(i);
      Map<String, @Nullable Object> first = call(new Turn.Call(call.name(), ""), number, i);
      first.put("index", i);
      chunk(events, model, number, object("tool_calls", List.of(first)), null);
      for (String piece : Dialect.pieces(call.arguments())) {
        Map<String, @Nullable Object> part =
            object("index", i, "function", object("arguments", piece));
        chunk(events, model, number, object("tool_calls", List.of(part)), null);
      }
    }
    chunk(events, model, number, object(), reason(turn));
    Map<String, @Nullable Object> last = head("chat.completion.chunk", model, number);
    last.put("choices", List.of());
    last.put("usage", usage(turn));
    events.add(new Event(null, last));
    events.add(new Event(null, "[DONE]"));
    return events;
  }

  private static void chunk(
      List<Event> events,
      String model,
      int number,
      Map<String, @Nullable Object> delta,
      @Nullable String reason) {
    Map<String, @Nullable Object> chunk = head("chat.completion.chunk", model, number);
    chunk.put("choices", List.of(object("index", 0, "delta", delta, "finish_reason", reason)));
    events.add(new Event(null, chunk));
  }
}
