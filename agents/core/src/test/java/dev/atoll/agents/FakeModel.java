package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/** A model that replies what a function says, given the prompt. */
final class FakeModel implements Model {
  private final Function<Prompt, Reply> replies;
  private final List<Prompt> prompts = new CopyOnWriteArrayList<>();

  FakeModel(Function<Prompt, Reply> replies) {
    this.replies = replies;
  }

  /** Says these one after the other, by how many replies the conversation has had. */
  static FakeModel saying(Reply... replies) {
    return new FakeModel(
        prompt -> {
          long said =
              prompt.messages().stream().filter(Message.Assistant.class::isInstance).count();
          return replies[(int) said];
        });
  }

  static Reply text(String text) {
    return new Reply(text, List.of(), false, new Usage(10, 5), null);
  }

  static Reply code(String... codes) {
    List<ToolCall> calls = new java.util.ArrayList<>();
    for (String code : codes) {
      calls.add(new ToolCall("call_" + calls.size(), "run_code", "{\"code\": \"" + code + "\"}"));
    }
    return new Reply("", calls, false, new Usage(10, 5), null);
  }

  static Reply call(String name, String arguments) {
    return new Reply(
        "", List.of(new ToolCall("call_1", name, arguments)), false, new Usage(10, 5), null);
  }

  List<Prompt> prompts() {
    return List.copyOf(prompts);
  }

  @Override
  public Reply reply(Prompt prompt, Consumer<String> text) {
    prompts.add(prompt);
    Reply reply = replies.apply(prompt);
    text.accept(reply.text());
    return reply;
  }
}
