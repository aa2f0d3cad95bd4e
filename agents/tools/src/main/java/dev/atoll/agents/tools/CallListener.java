package dev.atoll.agents.tools;

/** Hears of calls while they are carried out, on their threads: several may speak at a time. */
public interface CallListener {
  /** Hears nothing. */
  CallListener NONE = new CallListener() {};

  /** A call begins. */
  default void started(ToolCall call) {}

  /** A program of a call wrote something. */
  default void output(ToolCall call, OutputListener.Stream stream, String text) {}

  /** A call has ended. */
  default void ended(ToolCall call, ToolResult result) {}
}
