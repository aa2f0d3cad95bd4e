package dev.atoll.server.mcp;

import dev.atoll.engine.FileContent;
import dev.atoll.engine.SandboxFiles;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A file of a sandbox, or a part of it, as a client can take it.
 *
 * @param size of the whole file
 * @param more whether there is more behind the part
 */
record GuestFile(String type, long size, boolean more, Content content) {
  private static final long MOST_BINARY = 8 << 20;

  /** What was read. */
  sealed interface Content {}

  /** Text. */
  record Text(String text) implements Content {}

  /** Anything else, whole. */
  @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
  record Binary(byte[] bytes) implements Content {}

  /** Reads a part of a text, or the whole of anything else. */
  static GuestFile read(SandboxFiles files, String path, long offset, long length) {
    try (FileContent file = files.read(path, offset, length)) {
      long size = file.entry().size();
      byte[] part = file.stream().readNBytes(Math.toIntExact(length));
      boolean more = offset + part.length < size;
      String text = text(part, more);
      if (text != null) {
        return new GuestFile(type(path, "text/plain"), size, more, new Text(text));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return binary(files, path);
  }

  private static GuestFile binary(SandboxFiles files, String path) {
    try (FileContent file = files.read(path, 0, 0)) {
      long size = file.entry().size();
      if (size > MOST_BINARY) {
        throw new AtollException(
            ErrorCode.TOO_LARGE,
            "%s has %d bytes, at most %d of a binary file can be shown"
                .formatted(path, size, MOST_BINARY),
            "Look into it with run_shell or run_code.");
      }
      byte[] all = file.stream().readNBytes((int) MOST_BINARY);
      return new GuestFile(type(path, "application/octet-stream"), size, false, new Binary(all));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isImage() {
    return type.startsWith("image/") && !type.equals("image/svg+xml");
  }

  McpSchema.ResourceContents blob(String uri, Binary binary) {
    String bytes = Base64.getEncoder().encodeToString(binary.bytes());
    return McpSchema.BlobResourceContents.builder(uri, bytes).mimeType(type).build();
  }

  private static String type(String path, String byDefault) {
    String guess = URLConnection.guessContentTypeFromName(path);
    return guess == null ? byDefault : guess;
  }

  /** The bytes as text, if they are; a character that was cut in two at the end is left out. */
  private static @Nullable String text(byte[] bytes, boolean cut) {
    for (int end = bytes.length; end >= Math.max(0, bytes.length - (cut ? 3 : 0)); end--) {
      try {
        String text =
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, end)).toString();
        return text.indexOf('\0') < 0 ? text : null;
      } catch (CharacterCodingException e) {
        // Perhaps only its last character is not whole.
      }
    }
    return null;
  }
}
