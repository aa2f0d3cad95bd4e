package dev.atoll.agents.tools;

/** One tool. */
interface Tool {
  /** What the model is told, given what is known of the sandbox. */
  ToolDefinition definition(WorkspaceFacts facts);

  /**
   * Carries a call out.
   *
   * @throws Arguments.Unusable if the arguments do not do
   */
  ToolResult call(Arguments arguments, Desk desk);

  /**
   * Calls of one lane must not run at the same time; by default a call is alone in its lane and so
   * minds no other.
   */
  default String lane(ToolCall call) {
    return call.id();
  }

  /** Whether it changes the sandbox as a whole, so that no other call may run meanwhile. */
  default boolean exclusive() {
    return false;
  }
}
