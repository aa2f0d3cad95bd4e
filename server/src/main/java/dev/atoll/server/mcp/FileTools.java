package dev.atoll.server.mcp;

import dev.atoll.engine.SandboxFiles;
import dev.atoll.engine.WriteOptions;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileList;
import dev.atoll.server.mcp.Tool.Effect;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Tools for the files of a sandbox. */
final class FileTools {
  private static final long DEFAULT_BYTES = 64 << 10;
  private static final int ENTRIES = 1000;
  private static final String PATH = "absolute, or relative to the home directory";

  private FileTools() {}

  static List<Tool> all() {
    return List.of(readFile(), writeFile(), listFiles());
  }

  private static SandboxFiles files(ToolRequest request, String sandbox) {
    return request.engine().sandboxes().files(request.project(), sandbox);
  }

  private static Tool readFile() {
    return new Tool(
        "read_file",
        "Read a file",
        "Reads a file of the sandbox: text as text, images as images, anything else as a resource."
            + " Large text is read in parts with offset and limit.",
        Effect.READS,
        Tool.inSandbox()
            .text("path", PATH)
            .integer("offset", "first byte to read, 0 by default")
            .integer("limit", "how many bytes of text, " + DEFAULT_BYTES + " by default")
            .requiring("path")
            .arguments(),
        Schema.object()
            .text("sandbox", "where it is")
            .text("path", "of the file")
            .integer("size", "of the whole file, in bytes")
            .text("type", "its media type")
            .text("text", "the part that was read, if it is text")
            .flag("more", "whether there is more behind it")
            .requiring("sandbox", "path", "size", "type", "more")
            .build(),
        FileTools::readFile);
  }

  private static ToolAnswer readFile(ToolRequest request) {
    String sandbox = request.sandbox();
    String path = request.required("path");
    long offset = request.integer("offset", 0);
    GuestFile file =
        GuestFile.read(
            files(request, sandbox), path, offset, request.integer("limit", DEFAULT_BYTES));
    ToolAnswer answer = new ToolAnswer();
    switch (file.content()) {
      case GuestFile.Text text -> answer.text(text.text()).with("text", text.text());
      case GuestFile.Binary image when file.isImage() ->
          answer.content(RunFollower.image(image.bytes(), file.type()));
      case GuestFile.Binary binary ->
          answer.content(
              McpSchema.EmbeddedResource.builder(
                      file.blob(FileResources.uri(sandbox, path), binary))
                  .build());
    }
    return answer
        .with("sandbox", sandbox)
        .with("path", path)
        .with("size", file.size())
        .with("type", file.type())
        .with("more", file.more());
  }

  private static Tool writeFile() {
    return new Tool(
        "write_file",
        "Write a file",
        "Writes a file of the sandbox, with the directories above it. It replaces what was there.",
        Effect.CHANGES,
        Tool.inSandbox()
            .text("path", PATH)
            .text("content", "the content")
            .choice("encoding", "utf-8 by default; base64 for bytes", List.of("utf-8", "base64"))
            .flag("append", "adds to the end instead of replacing the file")
            .requiring("path", "content")
            .arguments(),
        Schema.object()
            .text("sandbox", "where it is")
            .text("path", "of the file")
            .integer("size", "in bytes")
            .requiring("sandbox", "path", "size")
            .build(),
        FileTools::writeFile);
  }

  private static ToolAnswer writeFile(ToolRequest request) {
    String sandbox = request.sandbox();
    byte[] content = content(request);
    FileEntry entry =
        files(request, sandbox)
            .write(
                request.required("path"),
                new ByteArrayInputStream(content),
                new WriteOptions(0, true, request.flag("append")));
    return ToolAnswer.of("wrote %d bytes to %s".formatted(content.length, entry.path()))
        .with("sandbox", sandbox)
        .with("path", entry.path())
        .with("size", entry.size());
  }

  private static byte[] content(ToolRequest request) {
    String content = request.required("content");
    if (!"base64".equals(request.text("encoding"))) {
      return content.getBytes(StandardCharsets.UTF_8);
    }
    try {
      return Base64.getMimeDecoder().decode(content);
    } catch (IllegalArgumentException e) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "content is not base64");
    }
  }

  private static Tool listFiles() {
    return new Tool(
        "list_files",
        "List files",
        "Lists a directory of the sandbox, and with depth those below it.",
        Effect.READS,
        Tool.inSandbox()
            .text("path", PATH + "; the home directory by default")
            .integer("depth", "1 by default: the directory alone")
            .arguments(),
        Schema.object()
            .text("sandbox", "where they are")
            .list(
                "entries",
                "files and directories",
                Schema.object()
                    .text("path", "of the entry")
                    .text("kind", "file, directory, …")
                    .integer("size", "in bytes")
                    .requiring("path", "kind", "size")
                    .build())
            .flag("truncated", "whether there are more than are listed")
            .requiring("sandbox", "entries", "truncated")
            .build(),
        FileTools::listFiles);
  }

  private static ToolAnswer listFiles(ToolRequest request) {
    String sandbox = request.sandbox();
    String path = request.text("path");
    int depth = (int) request.integer("depth", 1);
    FileList list = files(request, sandbox).list(path == null ? "." : path, depth, ENTRIES);
    String readable =
        list.entries().stream()
            .map(one -> "%s %d %s".formatted(one.kind().wire(), one.size(), one.path()))
            .collect(Collectors.joining("\n"));
    return ToolAnswer.of(readable.isEmpty() ? "(empty)" : readable)
        .with("sandbox", sandbox)
        .with("entries", list.entries().stream().map(FileTools::entry).toList())
        .with("truncated", list.truncated());
  }

  private static Map<String, Object> entry(FileEntry entry) {
    return Map.of("path", entry.path(), "kind", entry.kind().wire(), "size", entry.size());
  }
}
