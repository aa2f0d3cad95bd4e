package dev.atoll.agents;

import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message of a conversation with a model. */
public sealed interface Message {
  /** What the person, or the program in their place, says. */
  record User(String text) implements Message {}

  /**
   * What the model said.
   *
   * @param raw the message in the form of the adapter that it came through, which finds in it what
   *     has no place here, such as signed thoughts; null if there is none
   */
  record Assistant(String text, List<ToolCall> calls, @Nullable String raw) implements Message {
    /** Copies. */
    public Assistant {
      calls = List.copyOf(calls);
    }
  }

  /** What the calls of the message before have come to, one for each, in order. */
  record Results(List<Answer> answers) implements Message {
    /** Copies. */
    public Results {
      answers = List.copyOf(answers);
    }
  }

  /** What a call has come to. */
  record Answer(ToolCall call, ToolResult result) {}
}
