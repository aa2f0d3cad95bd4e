package dev.atoll.agents.tools;

/** What a call has at hand. */
record Desk(Workspace workspace, ToolLimits limits, Branches branches, OutputListener listener) {
  RunReport report() {
    return new RunReport(workspace, limits);
  }
}
