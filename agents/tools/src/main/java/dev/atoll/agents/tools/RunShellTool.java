package dev.atoll.agents.tools;

/** Runs a shell command line. */
final class RunShellTool implements Tool {
  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "run_shell",
        """
        Runs a command line with the shell of the same isolated sandbox, in its user's home, and returns stdout, stderr and the exit code. Each call is a new shell: files \
        stay, variables and the working directory do not. There is nobody to answer prompts; give options such as -y. %s\
        """
            .formatted(facts.networkSentence()),
        new Schema()
            .required("command", Schema.string(), "The command line, such as: ls -l | head")
            .optional(
                "timeout_seconds",
                Schema.integer(1, 600),
                "After that time the command is killed; two minutes by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    return desk.report()
        .of(
            desk.workspace()
                .runShell(
                    arguments.text("command"), desk.limits().timeout(arguments), desk.listener()));
  }
}
