package dev.atoll.agents.tools;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a tool answers.
 *
 * @param content text and images, in order; never empty
 * @param error whether the model should read it as a failure
 */
public record ToolResult(List<Content> content, boolean error) {
  /** Checks and copies. */
  public ToolResult {
    content = List.copyOf(content);
    if (content.isEmpty()) {
      throw new IllegalArgumentException("a tool answers something");
    }
  }

  /** Text alone. */
  public static ToolResult text(String text) {
    return new ToolResult(List.of(new Content.Text(text)), false);
  }

  /** A failure, in words that help a model to do better. */
  public static ToolResult failure(String text) {
    return new ToolResult(List.of(new Content.Text(text)), true);
  }

  /** All text of it. */
  @JsonIgnore
  public String text() {
    return content.stream()
        .filter(Content.Text.class::isInstance)
        .map(part -> ((Content.Text) part).text())
        .collect(Collectors.joining("\n"));
  }

  /** All images of it. */
  @JsonIgnore
  public List<Content.Image> images() {
    return content.stream()
        .filter(Content.Image.class::isInstance)
        .map(Content.Image.class::cast)
        .toList();
  }
}
