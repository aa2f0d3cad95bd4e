package dev.atoll.server.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/**
 * Something that a model can do.
 *
 * @param description what models are told about it
 * @param effect what a client may want to ask its user before
 */
record Tool(
    String name,
    String title,
    String description,
    Effect effect,
    Map<String, Object> input,
    Map<String, Object> output,
    Work work) {
  private static final String SANDBOX =
      "id or name of the sandbox; leave it out for the session's own, which is made when it is"
          + " first needed";

  /** What a tool does to the world. */
  enum Effect {
    /** Nothing. */
    READS,
    /** Something, in a sandbox or to it. */
    CHANGES,
    /** Something that cannot be taken back. */
    DESTROYS
  }

  /** How it is done. */
  interface Work {
    ToolAnswer answer(ToolRequest request);
  }

  /** The schema of arguments that name a sandbox, for more fields. */
  static Schema inSandbox() {
    return Schema.object().text("sandbox", SANDBOX);
  }

  McpSchema.Tool definition() {
    return McpSchema.Tool.builder(name, input)
        .title(title)
        .description(description)
        .outputSchema(output)
        .annotations(
            McpSchema.ToolAnnotations.builder()
                .title(title)
                .readOnlyHint(effect == Effect.READS)
                .destructiveHint(effect == Effect.DESTROYS)
                .openWorldHint(false)
                .build())
        .build();
  }
}
