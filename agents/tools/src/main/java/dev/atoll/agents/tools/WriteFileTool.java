package dev.atoll.agents.tools;

import java.nio.charset.StandardCharsets;

/** Writes a text file. */
final class WriteFileTool implements Tool {
  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "write_file",
        "Writes a text file in the sandbox, and the directories on the way to it. What is there is"
            + " replaced.",
        new Schema()
            .required("path", Schema.string(), "Absolute, or relative to the user's home.")
            .required("content", Schema.string(), "The whole content.")
            .optional("append", Schema.bool(), "Adds to what is there instead.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    String path = arguments.text("path");
    byte[] content = arguments.text("content").getBytes(StandardCharsets.UTF_8);
    boolean append = arguments.flag("append");
    desk.workspace().write(path, content, append);
    return ToolResult.text(
        "%s %,d bytes to %s".formatted(append ? "Added" : "Wrote", content.length, path));
  }

  @Override
  public String lane(ToolCall call) {
    return "write";
  }
}
