package dev.atoll.server.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

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
  /** The field of every answer that says where calls go that name no sandbox. */
  static final String SESSION_SANDBOX = "session_sandbox";

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

  /** What it answers, with what every answer has. */
  private Map<String, Object> answers() {
    Map<String, Object> schema = new LinkedHashMap<>(output);
    Map<String, Object> fields = new LinkedHashMap<>();
    ((Map<?, ?>) Objects.requireNonNull(output.get("properties")))
        .forEach((name, field) -> fields.put(String.valueOf(name), Objects.requireNonNull(field)));
    String meaning = "the session's own sandbox, to which calls go that name none; none at first";
    fields.put(SESSION_SANDBOX, Map.of("type", "string", "description", meaning));
    schema.put("properties", fields);
    return schema;
  }

  McpSchema.Tool definition() {
    return McpSchema.Tool.builder(name, input)
        .title(title)
        .description(description)
        .outputSchema(answers())
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
