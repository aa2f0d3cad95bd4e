package dev.atoll.agents.langchain4j;

import dev.atoll.agents.tools.CallListener;
import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolCall;
import dev.atoll.agents.tools.ToolDefinition;
import dev.atoll.agents.tools.ToolResult;
import dev.atoll.model.Json;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The tools of a sandbox for an AI service: {@code
 * AiServices.builder(Assistant.class).toolProvider(AtollToolProvider.of(tools))}.
 */
public final class AtollToolProvider implements ToolProvider {
  private final SandboxTools tools;

  private AtollToolProvider(SandboxTools tools) {
    this.tools = tools;
  }

  /** The tools of a sandbox. */
  public static AtollToolProvider of(SandboxTools tools) {
    return new AtollToolProvider(tools);
  }

  @Override
  public ToolProviderResult provideTools(ToolProviderRequest request) {
    ToolProviderResult.Builder result = ToolProviderResult.builder();
    tools.definitions().forEach(one -> result.add(specification(one), new Executor()));
    return result.build();
  }

  private static ToolSpecification specification(ToolDefinition definition) {
    JsonObjectSchema.Builder schema = JsonObjectSchema.builder().additionalProperties(false);
    if (definition.inputSchema().get("properties") instanceof Map<?, ?> properties) {
      properties.forEach(
          (name, property) ->
              schema.addProperty(
                  String.valueOf(name),
                  JsonRawSchema.from(Json.lenient().writeValueAsString(property))));
    }
    if (definition.inputSchema().get("required") instanceof List<?> required) {
      schema.required(required.stream().map(String::valueOf).toList());
    }
    return ToolSpecification.builder()
        .name(definition.name())
        .description(definition.description())
        .parameters(schema.build())
        .build();
  }

  /** Carries calls out. */
  private final class Executor implements ToolExecutor {
    @Override
    public String execute(ToolExecutionRequest request, Object memoryId) {
      return call(request).text();
    }

    @Override
    public ToolExecutionResult executeWithContext(
        ToolExecutionRequest request, InvocationContext context) {
      ToolResult result = call(request);
      List<dev.langchain4j.data.message.Content> contents = new ArrayList<>();
      for (Content content : result.content()) {
        contents.add(
            switch (content) {
              case Content.Text text -> TextContent.from(text.text());
              case Content.Image image -> ImageContent.from(image.base64(), image.mediaType());
            });
      }
      return ToolExecutionResult.builder().isError(result.error()).resultContents(contents).build();
    }

    private ToolResult call(ToolExecutionRequest request) {
      return tools.call(
          new ToolCall(String.valueOf(request.id()), request.name(), request.arguments()),
          CallListener.NONE);
    }
  }
}
