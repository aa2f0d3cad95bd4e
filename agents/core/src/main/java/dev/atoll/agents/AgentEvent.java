package dev.atoll.agents;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.atoll.agents.tools.OutputListener;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolResult;
import java.util.List;

/** Something that happened while an agent worked. Most are kept in the transcript. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = AgentEvent.Opened.class, name = "opened"),
  @JsonSubTypes.Type(value = AgentEvent.Asked.class, name = "asked"),
  @JsonSubTypes.Type(value = AgentEvent.Text.class, name = "text"),
  @JsonSubTypes.Type(value = AgentEvent.Waiting.class, name = "waiting"),
  @JsonSubTypes.Type(value = AgentEvent.Replied.class, name = "replied"),
  @JsonSubTypes.Type(value = AgentEvent.Started.class, name = "started"),
  @JsonSubTypes.Type(value = AgentEvent.Output.class, name = "output"),
  @JsonSubTypes.Type(value = AgentEvent.Answered.class, name = "answered"),
  @JsonSubTypes.Type(value = AgentEvent.Branched.class, name = "branched"),
  @JsonSubTypes.Type(value = AgentEvent.InBranch.class, name = "branch"),
  @JsonSubTypes.Type(value = AgentEvent.Merged.class, name = "merged"),
  @JsonSubTypes.Type(value = AgentEvent.Ended.class, name = "ended")
})
public sealed interface AgentEvent {
  /** A session begins, with a sandbox. */
  record Opened(String sandbox, String template) implements AgentEvent {}

  /** The model was given a task. */
  record Asked(String text) implements AgentEvent {}

  /** Text of a reply while it comes; not kept, since {@link Replied} has all of it. */
  record Text(String text) implements AgentEvent {}

  /** The model gave no reply; it is asked again in a while. */
  record Waiting(String reason, int attempt, long millis) implements AgentEvent {}

  /** The model's reply is complete. */
  record Replied(int step, String text, List<ToolCall> calls, boolean cutOff, Usage usage)
      implements AgentEvent {
    /** Copies. */
    public Replied {
      calls = List.copyOf(calls);
    }
  }

  /** A call is being carried out; not kept. */
  record Started(ToolCall call) implements AgentEvent {}

  /** A program of a call writes; not kept, since {@link Answered} has what the model got to see. */
  record Output(ToolCall call, OutputListener.Stream stream, String text) implements AgentEvent {}

  /** A call was carried out. */
  record Answered(ToolCall call, ToolResult result, long millis) implements AgentEvent {}

  /** The sandbox and the conversation were copied so many times. */
  record Branched(int count) implements AgentEvent {}

  /** Something happened in a branch, counted from 1. */
  record InBranch(int branch, AgentEvent inner) implements AgentEvent {}

  /** The session goes on as that branch. */
  record Merged(int branch, double score) implements AgentEvent {}

  /** Work on a task has ended. */
  record Ended(End end, String message, int steps, Usage usage, long millis)
      implements AgentEvent {}

  /** Whether a transcript keeps it. */
  default boolean kept() {
    return switch (this) {
      case Text ignored -> false;
      case Started ignored -> false;
      case Output ignored -> false;
      case InBranch branch -> branch.inner().kept();
      case Opened ignored -> true;
      case Asked ignored -> true;
      case Waiting ignored -> true;
      case Replied ignored -> true;
      case Answered ignored -> true;
      case Branched ignored -> true;
      case Merged ignored -> true;
      case Ended ignored -> true;
    };
  }
}
