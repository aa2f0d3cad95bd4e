package dev.atoll.agents.tools;

import dev.atoll.model.Language;
import org.jspecify.annotations.Nullable;

/** Runs code in a language context. */
final class RunCodeTool implements Tool {
  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    Schema schema =
        new Schema().required("code", Schema.string(), "The code. Print what you want to see.");
    if (facts.languages().size() > 1) {
      schema.optional(
          "language",
          Schema.oneOf(facts.languages()),
          facts.language() + " unless you name another. Each language has variables of its own.");
    }
    schema.optional(
        "timeout_seconds",
        Schema.integer(1, 600),
        "After that time the code is interrupted; two minutes by default.");
    return new ToolDefinition(
        "run_code",
        """
        Runs %s in an isolated sandbox, like a cell of a notebook, and returns what it writes. Use it to compute, to \
        analyse data and to verify what you think, rather than guessing. Print what you want to see: only stdout, stderr, the value of \
        the last expression and shown figures come back. State persists: variables, imports, files and installed packages are there in the next call. \
        After an error correct the code and call again; what was computed before is still there. %s\
        """
            .formatted(facts.language(), facts.networkSentence()),
        schema.build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    return desk.report()
        .of(
            desk.workspace()
                .runCode(
                    arguments.text("code"),
                    language(arguments),
                    desk.limits().timeout(arguments),
                    desk.listener()));
  }

  private static @Nullable String language(Arguments arguments) {
    String name = arguments.optionalText("language");
    return name == null ? null : Language.of(name).name();
  }

  /** A context runs one thing at a time, and models expect their order. */
  @Override
  public String lane(ToolCall call) {
    return "code";
  }
}
