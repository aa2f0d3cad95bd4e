package dev.atoll.examples.scripted;

import static dev.atoll.examples.scripted.Dialect.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** OpenAI's Responses. */
final class ResponsesDialect implements Dialect {
  @Override
  public String path() {
    return "/v1/responses";
  }

  @Override
  public Heard hear(JsonNode request) {
    List<Heard.Entry> entries = new ArrayList<>();
    JsonNode input = request.path("input");
    if (input.isString()) {
      entries.add(new Heard.Entry(Heard.Who.USER, input.asString()));
    }
    Heard.Who before = Heard.Who.USER;
    for (JsonNode item : input) {
      Heard.Who who =
          switch (item.path("type").asString("message")) {
            case "function_call_output" -> Heard.Who.TOOL;
            case "message" ->
                item.path("role").asString().equals("user") ? Heard.Who.USER : Heard.Who.MODEL;
            default -> Heard.Who.MODEL;
          };
      String text =
          Dialect.text(who == Heard.Who.TOOL ? item.path("output") : item.path("content"));
      // One reply may be several items.
      if (who != Heard.Who.MODEL || before != Heard.Who.MODEL) {
        entries.add(new Heard.Entry(who, text));
      }
      before = who;
    }
    return new Heard(entries);
  }

  @Override
  public Object reply(Turn turn, String model, int number) {
    Map<String, @Nullable Object> response = head(model, number);
    response.put("status", "completed");
    response.put("output", output(turn, number));
    int tokens = Dialect.tokens(turn);
    response.put(
        "usage",
        object(
            "input_tokens",
            100,
            "input_tokens_details",
            object("cached_tokens", 0),
            "output_tokens",
            tokens,
            "output_tokens_details",
            object("reasoning_tokens", 0),
            "total_tokens",
            100 + tokens));
    return response;
  }

  private static Map<String, @Nullable Object> head(String model, int number) {
    return object(
        "id",
        "resp_scripted_" + number,
        "object",
        "response",
        "created_at",
        1_760_000_000,
        "status",
        "in_progress",
        "error",
        null,
        "incomplete_details",
        null,
        "instructions",
        null,
        "metadata",
        Map.of(),
        "model",
        model,
        "output",
        List.of(),
        "parallel_tool_calls",
        true,
        "temperature",
        1.0,
        "tool_choice",
        "auto",
        "tools",
        List.of(),
        "top_p",
        1.0);
  }

  private static List<Object> output(Turn turn, int number) {
    List<Object> items = new ArrayList<>();
    if (!turn.text().isEmpty()) {
      Map<String, @Nullable Object> part =
          object("type", "output_text", "text", turn.text(), "annotations", List.of());
      items.add(
          object(
              "id", "msg_" + number,
              "type", "message",
              "role", "assistant",
              "status", "completed",
              "content", List.of(part)));
    }
    for (int i = 0; i < turn.calls().size(); i++) {
      Turn.Call call = turn.calls().get(i);
      items.add(
          object(
              "id",
              "fc_" + number + "_" + i,
              "type",
              "function_call",
              "status",
              "completed",
              "call_id",
              "call_" + number + "_" + i,
              "name",
              call.name(),
              "arguments",
              call.arguments()));
    }
    return items;
  }

  @Override
  public List<Event> stream(Turn turn, String model, int number) {
    List<Event> events = new ArrayList<>();
    add(events, "response.created", object("response", head(model, number)));
    List<Object> items = output(turn, number);
    for (int i = 0; i < items.size(); i++) {
      add(events, "response.output_item.added", object("output_index", i, "item", items.get(i)));
      if (i == 0 && !turn.text().isEmpty()) {
        for (String piece : Dialect.pieces(turn.text())) {
          add(
              events,
              "response.output_text.delta",
              object(
                  "item_id",
                  "msg_" + number,
                  "output_index",
                  0,
                  "content_index",
                  0,
                  "logprobs",
                  List.of(),
                  "delta",
                  piece));
        }
      }
      add(events, "response.output_item.done", object("output_index", i, "item", items.get(i)));
    }
    add(events, "response.completed", object("response", reply(turn, model, number)));
    return events;
  }

  private static void add(List<Event> events, String type, Map<String, @Nullable Object> data) {
    data.put("type", type);
    data.put("sequence_number", events.size());
    events.add(new Event(type, data));
  }
}
