package dev.atoll.agents.tools;

import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import dev.atoll.model.FileList;
import java.util.stream.Collectors;

/** Lists a directory. */
final class ListFilesTool implements Tool {
  private static final int MAX_ENTRIES = 500;
  private static final int MAX_DEPTH = 10;

  @Override
  public ToolDefinition definition(WorkspaceFacts facts) {
    return new ToolDefinition(
        "list_files",
        "Lists the files in a directory of the sandbox with their sizes.",
        new Schema()
            .optional(
                "path",
                Schema.string(),
                "Absolute, or relative to the user's home; that by default.")
            .optional("depth", Schema.integer(1, MAX_DEPTH), "How many levels; 1 by default.")
            .build());
  }

  @Override
  public ToolResult call(Arguments arguments, Desk desk) {
    String path = arguments.optionalText("path");
    int depth = arguments.integer("depth", 1, 1, MAX_DEPTH);
    FileList list = desk.workspace().list(path == null ? "." : path, depth, MAX_ENTRIES);
    String lines =
        list.entries().stream().map(ListFilesTool::line).collect(Collectors.joining("\n"));
    String more =
        list.truncated() ? "\n[there is more: at most %d are listed]".formatted(MAX_ENTRIES) : "";
    return ToolResult.text(lines.isEmpty() ? "(the directory is empty)" : lines + more);
  }

  private static String line(FileEntry entry) {
    return entry.kind() == FileKind.DIRECTORY
        ? entry.path() + "/"
        : "%s  %,d bytes".formatted(entry.path(), entry.size());
  }
}
