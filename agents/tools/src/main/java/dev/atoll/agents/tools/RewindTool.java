package dev.atoll.agents.tools;

/** Takes the sandbox back to before a mistake. */
final class RewindTool implements Tool {
  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "rewind",
        "Takes the whole sandbox, variables and files included, back to before the last run or the"
            + " last few. Use it when something was overwritten or broken by mistake.",
        new Schema()
            .optional(
                "steps",
                Schema.integer(1, Math.max(1, facts.rewindable())),
                "By how many runs; 1 by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    int most = Math.max(1, desk.workspace().facts().rewindable());
    int steps = arguments.integer("steps", 1, 1, most);
    desk.workspace().rewind(steps);
    return ToolResult.text(
        steps == 1
            ? "The sandbox is as it was before the last run."
            : "The sandbox is as it was before the last %d runs.".formatted(steps));
  }

  @Override
  public boolean exclusive() {
    return true;
  }
}
