package dev.atoll.server.mcp;

import dev.atoll.engine.SnapshotQuery;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.server.mcp.Tool.Effect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Tools that keep, copy and bring back the state of a sandbox, with variables and processes. */
final class StateTools {
  private static final int LISTED = 200;

  private StateTools() {}

  static List<Tool> all() {
    return List.of(snapshot(), listSnapshots(), deleteSnapshot(), rewind(), fork(), merge());
  }

  private static Tool snapshot() {
    return new Tool(
        "snapshot_sandbox",
        "Take a snapshot",
        "Keeps the whole state of the sandbox: variables, processes and files. It stays after the"
            + " session until it is deleted.",
        Effect.CHANGES,
        Tool.inSandbox().text("name", "a name to find it by").arguments(),
        snapshotRow().build(),
        request -> {
          SnapshotRequest wanted =
              new SnapshotRequest(request.text("name"), Map.of(), SnapshotKind.MEMORY);
          SnapshotInfo made =
              request.engine().snapshots().create(request.project(), request.sandbox(), wanted);
          ToolAnswer answer = ToolAnswer.of(line(made));
          row(made).forEach(answer::with);
          return answer;
        });
  }

  private static Tool listSnapshots() {
    return new Tool(
        "list_snapshots",
        "List snapshots",
        "Lists the snapshots of the project.",
        Effect.READS,
        Schema.object().arguments(),
        Schema.object()
            .list("snapshots", "newest first", snapshotRow().build())
            .requiring("snapshots")
            .build(),
        request -> {
          SnapshotQuery query =
              new SnapshotQuery(LISTED, null, null, null, Set.of(), null, Map.of());
          List<SnapshotInfo> all =
              request.engine().snapshots().list(request.project(), query).items();
          String lines = all.stream().map(StateTools::line).collect(Collectors.joining("\n"));
          return ToolAnswer.of(lines.isEmpty() ? "(none)" : lines)
              .with("snapshots", all.stream().map(StateTools::row).toList());
        });
  }

  private static Tool deleteSnapshot() {
    return new Tool(
        "delete_snapshot",
        "Delete a snapshot",
        "Deletes a snapshot.",
        Effect.DESTROYS,
        Schema.object().text("snapshot", "id or name").requiring("snapshot").arguments(),
        Schema.object().text("snapshot", "that was deleted").requiring("snapshot").build(),
        request -> {
          String snapshot = request.required("snapshot");
          request.engine().snapshots().delete(request.project(), snapshot);
          return ToolAnswer.of("deleted " + snapshot).with("snapshot", snapshot);
        });
  }

  private static Tool rewind() {
    return new Tool(
        "rewind_sandbox",
        "Go back to a snapshot",
        "Makes the sandbox go back to a snapshot of itself; what happened since is lost.",
        Effect.DESTROYS,
        Tool.inSandbox().text("snapshot", "id or name").requiring("snapshot").arguments(),
        SandboxTools.row().build(),
        request ->
            answer(
                request
                    .engine()
                    .sandboxes()
                    .rewind(
                        request.project(),
                        request.sandbox(),
                        new RewindRequest(request.required("snapshot"), null))));
  }

  private static Tool fork() {
    return new Tool(
        "fork_sandbox",
        "Fork a sandbox",
        "Copies the sandbox with all variables, processes and files, so that several ways can be"
            + " tried from the same point. Name a copy with the argument sandbox of other tools;"
            + " merge_sandbox makes the session go on as the best of them.",
        Effect.CHANGES,
        Tool.inSandbox().integer("count", "how many copies, 1 by default").arguments(),
        Schema.object()
            .list("children", "the copies", SandboxTools.row().build())
            .requiring("children")
            .build(),
        request -> {
          ForkRequest wanted = ForkRequest.of((int) request.integer("count", 1));
          ForkResult made =
              request.engine().sandboxes().fork(request.project(), request.sandbox(), wanted);
          request.sandboxes().adopt(made.children());
          String lines =
              made.children().stream().map(SandboxTools::line).collect(Collectors.joining("\n"));
          return ToolAnswer.of(lines)
              .with("children", made.children().stream().map(SandboxTools::row).toList());
        });
  }

  private static Tool merge() {
    return new Tool(
        "merge_sandbox",
        "Merge a fork",
        "Makes the sandbox go on as one of its forks, and ends all other forks of it.",
        Effect.DESTROYS,
        Tool.inSandbox()
            .text("winner", "the fork to go on as")
            .flag("keep_losers", "true: the other forks stay")
            .requiring("winner")
            .arguments(),
        SandboxTools.row().build(),
        request -> {
          MergeRequest wanted =
              new MergeRequest(request.required("winner"), !request.flag("keep_losers"));
          return answer(
              request.engine().sandboxes().merge(request.project(), request.sandbox(), wanted));
        });
  }

  private static ToolAnswer answer(SandboxInfo info) {
    ToolAnswer answer = ToolAnswer.of(SandboxTools.line(info));
    SandboxTools.row(info).forEach(answer::with);
    return answer;
  }

  private static Schema snapshotRow() {
    return Schema.object()
        .text("snapshot", "its id")
        .text("name", "its name")
        .text("sandbox", "the sandbox that it is a state of")
        .text("template", "what the sandbox was made of")
        .requiring("snapshot", "sandbox", "template");
  }

  private static Map<String, Object> row(SnapshotInfo info) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("snapshot", info.id());
    row.put("sandbox", info.sandbox());
    row.put("template", info.template());
    if (info.name() != null) {
      row.put("name", info.name());
    }
    return row;
  }

  private static String line(SnapshotInfo info) {
    String name = info.name() == null ? "" : " (" + info.name() + ")";
    return "%s%s of %s".formatted(info.id(), name, info.sandbox());
  }
}
