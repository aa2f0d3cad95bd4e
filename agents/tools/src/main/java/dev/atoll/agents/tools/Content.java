package dev.atoll.agents.tools;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Base64;

/** A part of what a tool answers. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Content.Text.class, name = "text"),
  @JsonSubTypes.Type(value = Content.Image.class, name = "image")
})
public sealed interface Content {
  /** Text. */
  record Text(String text) implements Content {}

  /**
   * An image.
   *
   * @param mediaType {@code image/png} or {@code image/jpeg}
   * @param base64 its bytes
   */
  record Image(String mediaType, String base64) implements Content {
    /** An image of bytes. */
    public static Image of(String mediaType, byte[] bytes) {
      return new Image(mediaType, Base64.getEncoder().encodeToString(bytes));
    }

    /** As a web page would have it. */
    public String dataUrl() {
      return "data:" + mediaType + ";base64," + base64;
    }
  }
}
