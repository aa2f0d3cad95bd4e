package dev.atoll.server.mcp;

import dev.atoll.engine.Engine;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** The server of the Model Context Protocol. */
public final class McpService implements AutoCloseable {
  private static final String INSTRUCTIONS =
      """
      Sandboxes for code. run_code and run_shell run in a sandbox of this session, which is made \
      when it is first needed and ends with the session; variables and files stay from call to \
      call. By default it reaches package registries and nothing else. Print what you want to \
      see. Files are resources too: atoll://session/PATH.""";
  private static final String REPLACED =
      "Note: the sandbox had ended and a new one was made; earlier variables and files are gone.";

  private final Engine engine;
  private final McpSessions sessions;
  private final McpSyncServer server;

  public McpService(Engine engine, McpSettings settings, String version) {
    this(engine, settings, version, specification -> {});
  }

  /**
   * A server that has more than this one.
   *
   * @param more adds it, or changes what is there
   */
  McpService(
      Engine engine,
      McpSettings settings,
      String version,
      Consumer<McpServer.SyncSpecification<?>> more) {
    this.engine = engine;
    McpJsonMapper json = new JacksonMcpJsonMapper(JsonMapper.shared());
    sessions =
        new McpSessions(
            json,
            settings,
            new ToolArguments(tools().collect(Collectors.toMap(Tool::name, tool -> tool))),
            project -> new SessionSandboxes(engine.sandboxes(), project, settings));
    McpServer.SyncSpecification<?> specification =
        McpServer.sync(sessions)
            .serverInfo(McpSchema.Implementation.builder("atoll", version).build())
            .instructions(INSTRUCTIONS)
            .capabilities(
                McpSchema.ServerCapabilities.builder().tools(false).resources(false, false).build())
            .jsonMapper(json)
            .uriTemplateManagerFactory(FileResources.Uris::new)
            .tools(tools().map(this::specification).toList())
            .resourceTemplates(List.of(new FileResources(engine).specification()))
            .validateToolInputs(true)
            // Calls stay on the request's own thread, which is a virtual one and may wait.
            .immediateExecution(true);
    more.accept(specification);
    server = specification.build();
  }

  private static Stream<Tool> tools() {
    return Stream.of(
            CodeTools.all(),
            FileTools.all(),
            SandboxTools.all(),
            StateTools.all(),
            JudgeTools.all())
        .flatMap(List::stream);
  }

  /** The names of all tools. */
  static List<String> names() {
    return tools().map(Tool::name).sorted().toList();
  }

  public McpSessions sessions() {
    return sessions;
  }

  private SyncToolSpecification specification(Tool tool) {
    return SyncToolSpecification.builder()
        .tool(tool.definition())
        .callHandler((exchange, request) -> call(tool, exchange, request))
        .build();
  }

  private McpSchema.CallToolResult call(
      Tool tool, McpSyncServerExchange exchange, McpSchema.CallToolRequest call) {
    try {
      ToolRequest request = new ToolRequest(engine, exchange, call);
      ToolAnswer answer = tool.work().answer(request);
      if (request.sandboxes().wasReplaced()) {
        answer.note(REPLACED);
      }
      return located(answer, request.sandboxes()).build();
    } catch (RuntimeException e) {
      return McpErrors.result(e);
    }
  }

  /** Says where calls go that name no sandbox; to the model too, once there are several. */
  private static ToolAnswer located(ToolAnswer answer, SessionSandboxes sandboxes) {
    String own = sandboxes.own().orElse(null);
    if (sandboxes.several()) {
      answer.text(
          own == null
              ? "[the session has no sandbox of its own now]"
              : "[the session's own sandbox is " + own + "]");
    }
    return answer.with(Tool.SESSION_SANDBOX, own);
  }

  /** Ends all sessions. */
  @Override
  public void close() {
    server.close();
  }
}
