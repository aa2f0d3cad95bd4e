package dev.atoll.agents.anthropic;

import com.anthropic.models.messages.RawContentBlockDelta;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.StopReason;
import com.fasterxml.jackson.core.type.TypeReference;
import dev.atoll.agents.Reply;
import dev.atoll.agents.Usage;
import dev.atoll.agents.tools.ToolCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Puts a streamed reply together. The library's own accumulator gives up at arguments that are not
 * JSON; a model should be told of them instead.
 */
final class ReplyAssembly {
  private static final TypeReference<LinkedHashMap<String, Object>> OBJECT =
      new TypeReference<>() {};

  private final Consumer<String> listener;
  private final Map<Long, Map<String, Object>> blocks = new TreeMap<>();
  private final Map<Long, StringBuilder> arguments = new TreeMap<>();
  private long inputTokens;
  private long outputTokens;
  private boolean cutOff;

  ReplyAssembly(Consumer<String> listener) {
    this.listener = listener;
  }

  void add(RawMessageStreamEvent event) {
    event
        .messageStart()
        .ifPresent(
            start -> {
              inputTokens =
                  start.message().usage().inputTokens()
                      + start.message().usage().cacheReadInputTokens().orElse(0L)
                      + start.message().usage().cacheCreationInputTokens().orElse(0L);
              outputTokens = start.message().usage().outputTokens();
            });
    event
        .contentBlockStart()
        .ifPresent(
            start ->
                blocks.put(
                    start.index(), MessagesFormat.JSON.convertValue(start.contentBlock(), OBJECT)));
    event.contentBlockDelta().ifPresent(delta -> add(delta.index(), delta.delta()));
    event
        .messageDelta()
        .ifPresent(
            delta -> {
              outputTokens = delta.usage().outputTokens();
              cutOff = delta.delta().stopReason().filter(StopReason.MAX_TOKENS::equals).isPresent();
            });
  }

  private void add(long index, RawContentBlockDelta delta) {
    delta
        .text()
        .ifPresent(
            text -> {
              append(index, "text", text.text());
              listener.accept(text.text());
            });
    delta.thinking().ifPresent(thinking -> append(index, "thinking", thinking.thinking()));
    delta.signature().ifPresent(signature -> append(index, "signature", signature.signature()));
    delta
        .inputJson()
        .ifPresent(
            json ->
                arguments
                    .computeIfAbsent(index, key -> new StringBuilder())
                    .append(json.partialJson()));
  }

  private void append(long index, String field, String text) {
    Map<String, Object> block = blocks.computeIfAbsent(index, key -> new LinkedHashMap<>());
    block.merge(field, text, (before, after) -> String.valueOf(before) + after);
  }

  Reply reply() {
    StringBuilder text = new StringBuilder();
    List<ToolCall> calls = new ArrayList<>();
    boolean repeatable = true;
    for (Map.Entry<Long, Map<String, Object>> entry : blocks.entrySet()) {
      Map<String, Object> block = entry.getValue();
      if ("text".equals(block.get("type"))) {
        text.append(block.get("text"));
      } else if ("tool_use".equals(block.get("type"))) {
        StringBuilder json = arguments.get(entry.getKey());
        String written = json == null ? "{}" : json.toString();
        calls.add(
            new ToolCall(
                String.valueOf(block.get("id")), String.valueOf(block.get("name")), written));
        repeatable &= MessagesFormat.isObject(written) && !"".equals(block.get("name"));
        block.put("input", MessagesFormat.input(written));
      }
    }
    repeatable &= !blocks.isEmpty() && blocks.values().stream().noneMatch(ReplyAssembly::empty);
    return new Reply(
        text.toString(),
        calls,
        cutOff,
        new Usage(inputTokens, outputTokens),
        repeatable ? MessagesFormat.write(blocks.values()) : null);
  }

  private static boolean empty(Map<String, Object> block) {
    return "text".equals(block.get("type")) && String.valueOf(block.get("text")).isBlank();
  }
}
