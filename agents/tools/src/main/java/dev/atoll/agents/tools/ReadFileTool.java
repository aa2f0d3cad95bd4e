package dev.atoll.agents.tools;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows a file: text by lines, or an image. */
final class ReadFileTool implements Tool {
  private static final int MAX_BYTES = 4 << 20;

  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "read_file",
        "Shows a file of the sandbox: text, or a PNG or JPEG image. For large files give first_line"
            + " and lines.",
        new Schema()
            .required("path", Schema.string(), "Absolute, or relative to the user's home.")
            .optional("first_line", Schema.integer(1, Integer.MAX_VALUE), "1 by default.")
            .optional("lines", Schema.integer(1, 100_000), "How many; all by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    String path = arguments.text("path");
    int first = arguments.integer("first_line", 1, 1, Integer.MAX_VALUE);
    int lines = arguments.integer("lines", Integer.MAX_VALUE, 1, Integer.MAX_VALUE);
    byte[] bytes = desk.workspace().read(path, MAX_BYTES);
    String image = imageType(bytes);
    if (image != null) {
      return new ToolResult(List.of(Content.Image.of(image, bytes)), false);
    }
    String text = text(bytes);
    if (text == null) {
      return ToolResult.failure(
          path
              + " is not text. Look at it with run_code or run_shell, for instance with file or"
              + " xxd.");
    }
    return ToolResult.text(window(text, first, lines, desk.limits().outputCharacters()));
  }

  private static String window(String text, int first, int lines, int limit) {
    String chosen =
        first == 1 && lines == Integer.MAX_VALUE
            ? text
            : text.lines().skip(first - 1L).limit(lines).collect(Collectors.joining("\n"));
    if (chosen.isEmpty()) {
      return text.isEmpty() ? "(the file is empty)" : "(the file has no such lines)";
    }
    return chosen.length() <= limit
        ? chosen
        : chosen.substring(0, limit)
            + "\n[… %,d characters more; read on with first_line and lines …]"
                .formatted(chosen.length() - limit);
  }

  private static @Nullable String imageType(byte[] bytes) {
    if (bytes.length > 8 && bytes[0] == (byte) 0x89 && bytes[1] == 'P' && bytes[2] == 'N') {
      return "image/png";
    }
    boolean jpeg = bytes.length > 3 && bytes[0] == (byte) 0xff && bytes[1] == (byte) 0xd8;
    return jpeg ? "image/jpeg" : null;
  }

  /** Null if it is no UTF-8; a character cut by the limit does not count. */
  private static @Nullable String text(byte[] bytes) {
    for (int cut = 0; cut <= (bytes.length == MAX_BYTES ? 3 : 0); cut++) {
      try {
        return StandardCharsets.UTF_8
            .newDecoder()
            .decode(ByteBuffer.wrap(bytes, 0, bytes.length - cut))
            .toString();
      } catch (CharacterCodingException e) {
        // Then perhaps with a byte less.
      }
    }
    return null;
  }
}
