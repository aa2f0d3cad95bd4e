package dev.atoll.agents.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Tries several pieces of code at once, each in a copy of the sandbox. */
final class ForkTool implements Tool {
  private static final int MAX_ATTEMPTS = 8;

  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "fork",
        """
        Tries several approaches at the same time: copies the whole sandbox, variables and files included, once for each piece of code, runs each in its own \
        copy, and returns all outputs. The sandbox itself is unchanged. Then call merge to go on in the best copy.\
        """,
        new Schema()
            .required(
                "attempts",
                Schema.strings(1, MAX_ATTEMPTS),
                facts.language() + " code, one piece for each copy. Print how good the outcome is.")
            .optional(
                "timeout_seconds",
                Schema.integer(1, 600),
                "For each piece; two minutes by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    List<String> attempts = arguments.texts("attempts", 1, MAX_ATTEMPTS);
    List<Workspace> copies = desk.branches().fork(desk.workspace(), attempts.size());
    List<Callable<ToolResult>> runs = new ArrayList<>();
    for (int i = 0; i < attempts.size(); i++) {
      Workspace copy = copies.get(i);
      String code = attempts.get(i);
      runs.add(
          () ->
              new RunReport(copy, desk.limits())
                  .of(
                      copy.runCode(
                          code, null, desk.limits().timeout(arguments), OutputListener.NONE)));
    }
    List<ToolResult> results = Concurrently.all(runs);
    List<Content> content = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      content.add(new Content.Text("[branch %d]".formatted(i + 1)));
      content.addAll(results.get(i).content());
    }
    content.add(new Content.Text("[Call merge with the number of the branch to go on in.]"));
    return new ToolResult(content, results.stream().allMatch(ToolResult::error));
  }

  @Override
  public boolean exclusive() {
    return true;
  }
}
