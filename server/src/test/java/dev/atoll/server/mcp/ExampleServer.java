package dev.atoll.server.mcp;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.atoll.engine.Engine;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.util.DefaultMcpUriTemplateManager;
import io.modelcontextprotocol.util.McpUriTemplateManager;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * What the conformance suite wants of the servers that it tests, beside what this server has: tools
 * that log, report progress, and ask the client's model and user, and a few resources and prompts.
 * It goes through the same sessions and the same transport.
 */
public final class ExampleServer {
  private static final Map<String, Object> NOTHING =
      Map.of("type", "object", "properties", Map.of());

  private ExampleServer() {}

  /** The usual server with these things added. */
  public static McpService service(Engine engine, McpSettings settings) {
    return new McpService(engine, settings, "test", ExampleServer::add);
  }

  private static void add(McpServer.SyncSpecification<?> server) {
    server
        .capabilities(
            McpSchema.ServerCapabilities.builder()
                .tools(false)
                .resources(true, false)
                .prompts(false)
                .logging()
                .completions()
                .build())
        .uriTemplateManagerFactory(ExampleServer::uris)
        .resources(
            resource(
                McpSchema.TextResourceContents.builder("test://static-text", "some text")
                    .mimeType("text/plain")
                    .build()),
            resource(
                McpSchema.BlobResourceContents.builder("test://static-binary", ExampleContent.PNG)
                    .mimeType("image/png")
                    .build()),
            resource(
                McpSchema.TextResourceContents.builder("test://watched-resource", "some text")
                    .mimeType("text/plain")
                    .build()))
        .resourceTemplates(template())
        .prompts(ExampleContent.prompts())
        .completions(
            new SyncCompletionSpecification(
                McpSchema.PromptReference.builder("test_prompt_with_arguments").build(),
                (exchange, request) ->
                    new McpSchema.CompleteResult(
                        new McpSchema.CompleteResult.CompleteCompletion(
                            List.of("test one", "test two"), 2, false))));
    contentTools(server);
    talkingTools(server);
  }

  /** Our own templates are read in our own way, those of others as the SDK does. */
  private static McpUriTemplateManager uris(String uri) {
    return uri.startsWith("atoll:")
        ? new FileResources.Uris(uri)
        : new DefaultMcpUriTemplateManager(uri);
  }

  private static SyncResourceSpecification resource(McpSchema.ResourceContents contents) {
    return new SyncResourceSpecification(
        McpSchema.Resource.builder(contents.uri(), contents.uri())
            .description("an example")
            .mimeType(contents.mimeType())
            .build(),
        (exchange, request) -> McpSchema.ReadResourceResult.builder(List.of(contents)).build());
  }

  private static SyncResourceTemplateSpecification template() {
    return new SyncResourceTemplateSpecification(
        McpSchema.ResourceTemplate.builder("test://template/{id}/data", "template").build(),
        (exchange, request) -> {
          String id = request.uri().split("/", -1)[3];
          McpSchema.ResourceContents data =
              McpSchema.TextResourceContents.builder(
                      request.uri(), "{\"id\":\"%s\",\"templateTest\":true}".formatted(id))
                  .mimeType("application/json")
                  .build();
          return McpSchema.ReadResourceResult.builder(List.of(data)).build();
        });
  }

  // Tools.

  private interface Doing
      extends BiFunction<
          McpSyncServerExchange, McpSchema.CallToolRequest, List<McpSchema.Content>> {}

  private static SyncToolSpecification tool(String name, Map<String, Object> input, Doing doing) {
    return SyncToolSpecification.builder()
        .tool(McpSchema.Tool.builder(name, input).description("an example").build())
        .callHandler(
            (exchange, request) -> {
              try {
                return McpSchema.CallToolResult.builder()
                    .content(doing.apply(exchange, request))
                    .build();
              } catch (RuntimeException e) {
                return McpErrors.result(e);
              }
            })
        .build();
  }

  private static SyncToolSpecification giving(String name, McpSchema.Content... content) {
    return tool(name, NOTHING, (exchange, request) -> List.of(content));
  }

  private static McpSchema.Content text(String text) {
    return McpSchema.TextContent.builder(text).build();
  }

  private static void contentTools(McpServer.SyncSpecification<?> server) {
    McpSchema.Content image = ExampleContent.image();
    McpSchema.Content embedded = ExampleContent.embedded("test://embedded-resource");
    server.tools(
        giving("test_simple_text", text("some text")),
        giving("test_image_content", image),
        giving(
            "test_audio_content",
            McpSchema.AudioContent.builder(ExampleContent.WAV, "audio/wav").build()),
        giving("test_embedded_resource", embedded),
        giving("test_multiple_content_types", text("some text"), image, embedded),
        tool(
            "test_error_handling",
            NOTHING,
            (exchange, request) -> {
              throw new IllegalStateException("on purpose");
            }),
        tool("json_schema_2020_12_tool", ExampleContent.modernSchema(), (e, r) -> List.of()));
  }

  private static void talkingTools(McpServer.SyncSpecification<?> server) {
    Map<String, Object> prompt = Schema.object().text("prompt", "for the model").build();
    Map<String, Object> message = Schema.object().text("message", "for the user").build();
    server.tools(
        tool("test_tool_with_logging", NOTHING, ExampleServer::log),
        tool("test_tool_with_progress", NOTHING, ExampleServer::progress),
        tool("test_sampling", prompt, ExampleServer::askModel),
        tool(
            "test_elicitation",
            message,
            (exchange, request) ->
                askUser(
                    exchange,
                    String.valueOf(request.arguments().get("message")),
                    ExampleContent.person())),
        tool(
            "test_elicitation_sep1034_defaults",
            NOTHING,
            (exchange, request) -> askUser(exchange, "defaults", ExampleContent.defaults())),
        tool(
            "test_elicitation_sep1330_enums",
            NOTHING,
            (exchange, request) -> askUser(exchange, "choices", ExampleContent.choices())));
  }

  private static List<McpSchema.Content> log(
      McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
    for (String said : List.of("started", "processing", "completed")) {
      exchange.loggingNotification(
          McpSchema.LoggingMessageNotification.builder(McpSchema.LoggingLevel.INFO, said)
              .logger("example")
              .build());
    }
    return List.of(text("logged"));
  }

  private static List<McpSchema.Content> progress(
      McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
    Object token = request.meta().get("progressToken");
    for (int done : new int[] {0, 50, 100}) {
      exchange.progressNotification(
          McpSchema.ProgressNotification.builder(token, done).total(100.0).build());
    }
    return List.of(text("done"));
  }

  private static List<McpSchema.Content> askModel(
      McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
    McpSchema.Content question = text(String.valueOf(request.arguments().get("prompt")));
    McpSchema.CreateMessageResult answer =
        exchange.createMessage(
            McpSchema.CreateMessageRequest.builder(
                    List.of(
                        McpSchema.SamplingMessage.builder(McpSchema.Role.USER, question).build()),
                    100)
                .build());
    return List.of(text("the model says " + answer.content()));
  }

  private static List<McpSchema.Content> askUser(
      McpSyncServerExchange exchange, String message, Map<String, Object> schema) {
    McpSchema.ElicitResult answer = exchange.createElicitation(new Question(message, schema));
    return List.of(text("the user says " + answer.action() + " " + answer.content()));
  }

  /** The SDK's own record of it cannot be written by Jackson 3: it has its mode twice. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
  private record Question(String message, Map<String, Object> requestedSchema)
      implements McpSchema.ElicitRequest {
    @Override
    public String mode() {
      return "form";
    }

    @Override
    public Map<String, Object> meta() {
      return Map.of();
    }
  }
}
