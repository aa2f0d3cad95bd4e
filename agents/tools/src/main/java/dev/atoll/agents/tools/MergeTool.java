package dev.atoll.agents.tools;

/** Goes on in one of the copies that a fork made. */
final class MergeTool implements Tool {
  private static final int MAX_BRANCH = 8;

  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "merge",
        "Goes on in one of the copies that the last fork made, with its variables and files. The"
            + " others are thrown away.",
        new Schema()
            .required("branch", Schema.integer(1, MAX_BRANCH), "Its number in the answer of fork.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    int branch = arguments.integer("branch", 0, 1, MAX_BRANCH);
    if (branch == 0) {
      throw new Arguments.Unusable("The argument \"branch\" is missing.");
    }
    desk.branches().merge(desk.workspace(), branch);
    return ToolResult.text("The sandbox is now as branch %d left it.".formatted(branch));
  }

  @Override
  public boolean exclusive() {
    return true;
  }
}
