package dev.atoll.server.mcp;

import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Pictures, prompts and schemas as the conformance suite wants them. */
final class ExampleContent {
  /** A picture of one dot. */
  static final String PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  /** No sound at all. */
  static final String WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

  private ExampleContent() {}

  static McpSchema.Content image() {
    return McpSchema.ImageContent.builder(PNG, "image/png").build();
  }

  static McpSchema.Content embedded(String uri) {
    return McpSchema.EmbeddedResource.builder(
            McpSchema.TextResourceContents.builder(uri, "some text").mimeType("text/plain").build())
        .build();
  }

  // Prompts.

  static List<SyncPromptSpecification> prompts() {
    return List.of(
        prompt("test_simple_prompt", List.of(), arguments -> List.of(text("a prompt"))),
        prompt(
            "test_prompt_with_arguments",
            List.of("arg1", "arg2"),
            arguments -> List.of(text(arguments.get("arg1") + " and " + arguments.get("arg2")))),
        prompt(
            "test_prompt_with_embedded_resource",
            List.of("resourceUri"),
            arguments -> List.of(embedded(String.valueOf(arguments.get("resourceUri"))))),
        prompt("test_prompt_with_image", List.of(), arguments -> List.of(image(), text("this"))));
  }

  private static McpSchema.Content text(String text) {
    return McpSchema.TextContent.builder(text).build();
  }

  private static SyncPromptSpecification prompt(
      String name,
      List<String> arguments,
      Function<Map<String, Object>, List<McpSchema.Content>> content) {
    McpSchema.Prompt prompt =
        McpSchema.Prompt.builder(name)
            .description("an example")
            .arguments(
                arguments.stream()
                    .map(one -> McpSchema.PromptArgument.builder(one).required(true).build())
                    .toList())
            .build();
    return new SyncPromptSpecification(
        prompt,
        (exchange, request) ->
            McpSchema.GetPromptResult.builder(
                    content
                        .apply(request.arguments() == null ? Map.of() : request.arguments())
                        .stream()
                        .map(
                            one ->
                                McpSchema.PromptMessage.builder(McpSchema.Role.USER, one).build())
                        .toList())
                .build());
  }

  // Schemas.

  static Map<String, Object> modernSchema() {
    return Map.of(
        "$schema",
        "https://json-schema.org/draft/2020-12/schema",
        "type",
        "object",
        "$defs",
        Map.of("address", object(Map.of("street", string(), "city", string()))),
        "properties",
        Map.of("name", string(), "address", Map.of("$ref", "#/$defs/address")),
        "additionalProperties",
        false);
  }

  private static Map<String, Object> object(Map<String, Object> properties) {
    return Map.of("type", "object", "properties", properties);
  }

  private static Map<String, Object> string() {
    return Map.of("type", "string");
  }

  static Map<String, Object> person() {
    return Map.of(
        "type",
        "object",
        "properties",
        Map.of("username", string(), "email", string()),
        "required",
        List.of("username", "email"));
  }

  static Map<String, Object> defaults() {
    return object(
        Map.of(
            "name", Map.of("type", "string", "default", "John Doe"),
            "age", Map.of("type", "integer", "default", 30),
            "score", Map.of("type", "number", "default", 95.5),
            "status",
                Map.of(
                    "type", "string",
                    "enum", List.of("active", "inactive", "pending"),
                    "default", "active"),
            "verified", Map.of("type", "boolean", "default", true)));
  }

  static Map<String, Object> choices() {
    List<String> options = List.of("option1", "option2", "option3");
    List<Map<String, String>> titled =
        List.of(
            Map.of("const", "value1", "title", "First"),
            Map.of("const", "value2", "title", "Second"),
            Map.of("const", "value3", "title", "Third"));
    return object(
        Map.of(
            "untitledSingle", Map.of("type", "string", "enum", options),
            "titledSingle", Map.of("type", "string", "oneOf", titled),
            "legacyEnum",
                Map.of(
                    "type", "string",
                    "enum", List.of("opt1", "opt2", "opt3"),
                    "enumNames", List.of("One", "Two", "Three")),
            "untitledMulti",
                Map.of("type", "array", "items", Map.of("type", "string", "enum", options)),
            "titledMulti", Map.of("type", "array", "items", Map.of("anyOf", titled))));
  }
}
