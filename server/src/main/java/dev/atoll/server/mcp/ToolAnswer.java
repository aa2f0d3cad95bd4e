package dev.atoll.server.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a tool gives back: content for the model, and the same as data for programs. */
final class ToolAnswer {
  private final List<McpSchema.Content> content = new ArrayList<>();
  private final Map<String, Object> data = new LinkedHashMap<>();
  private boolean failed;

  /** An answer that begins with a text. */
  static ToolAnswer of(String text) {
    return new ToolAnswer().text(text);
  }

  ToolAnswer text(String text) {
    return content(McpSchema.TextContent.builder(text).build());
  }

  ToolAnswer content(McpSchema.Content more) {
    content.add(more);
    return this;
  }

  /** A text in front of all others. */
  void note(String text) {
    content.addFirst(McpSchema.TextContent.builder(text).build());
  }

  /** Adds a field, unless there is nothing to say. */
  ToolAnswer with(String field, @Nullable Object value) {
    if (value != null) {
      data.put(field, value);
    }
    return this;
  }

  ToolAnswer failed(boolean isFailed) {
    failed = isFailed;
    return this;
  }

  McpSchema.CallToolResult build() {
    return McpSchema.CallToolResult.builder()
        .content(content)
        .structuredContent(data)
        .isError(failed)
        .build();
  }
}
