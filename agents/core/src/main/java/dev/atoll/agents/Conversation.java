package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;

/** The messages so far, always in an order that providers take: every call has its answer. */
final class Conversation {
  private final List<Message> messages;

  Conversation() {
    this(List.of());
  }

  private Conversation(List<Message> messages) {
    this.messages = new ArrayList<>(messages);
  }

  Conversation copy() {
    return new Conversation(messages);
  }

  void ask(String text) {
    messages.add(new Message.User(text));
  }

  /** What is too long to be sent again with every request is remembered shortened. */
  void replied(Reply reply) {
    List<ToolCall> bounded = reply.calls().stream().map(Recorder::bounded).toList();
    messages.add(
        new Message.Assistant(
            reply.text(), bounded, bounded.equals(reply.calls()) ? reply.raw() : null));
  }

  void answered(List<Message.Answer> answers) {
    messages.add(
        new Message.Results(
            answers.stream()
                .map(one -> new Message.Answer(Recorder.bounded(one.call()), one.result()))
                .toList()));
  }

  /** Answers calls that were not carried out, so that another task can follow. */
  void settle() {
    if (!messages.isEmpty()
        && messages.get(messages.size() - 1) instanceof Message.Assistant last
        && !last.calls().isEmpty()) {
      answered(
          last.calls().stream()
              .map(call -> new Message.Answer(call, ToolResult.failure("It was not carried out.")))
              .toList());
    }
  }

  Prompt prompt(String instructions, List<ToolDefinition> tools) {
    return new Prompt(instructions, messages, tools);
  }

  List<Message> messages() {
    return List.copyOf(messages);
  }
}
