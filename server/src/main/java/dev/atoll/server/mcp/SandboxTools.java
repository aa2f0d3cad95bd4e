package dev.atoll.server.mcp;

import dev.atoll.engine.SandboxQuery;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.server.mcp.Tool.Effect;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tools for sandboxes as such. Most models need none of them: the session has a sandbox. */
final class SandboxTools {
  private static final int LISTED = 200;

  private SandboxTools() {}

  static List<Tool> all() {
    return List.of(create(), list(), close());
  }

  private static Tool create() {
    return new Tool(
        "create_sandbox",
        "Create a sandbox",
        "Makes another sandbox. Not needed for a start: the session has one with Python, and calls"
            + " that name no sandbox go on to that one. Name the new one with the argument sandbox"
            + " of other tools, or give use to make it the session's own. Use it for another"
            + " template, more memory, another network policy, or to start from a snapshot.",
        Effect.CHANGES,
        Schema.object()
            .text("template", "python by default; node, java, go, …")
            .text("snapshot", "id or name of a snapshot to start from, instead of a template")
            .text("name", "a name to find it by")
            .integer("memory_mib", "memory in MiB")
            .number("cpus", "CPUs, such as 0.5")
            .number("ttl_seconds", "the longest life of it")
            .choice(
                "network",
                "what it may reach: none, packages (registries alone, the default), allowlist with"
                    + " allow, or open",
                Arrays.stream(NetworkMode.values()).map(NetworkMode::wire).toList())
            .texts("allow", "what it may reach besides, such as api.example.com:443")
            .flag("keep", "true: it does not end with this session")
            .flag("use", "true: calls that name no sandbox go to it from now on")
            .arguments(),
        row().build(),
        SandboxTools::create);
  }

  private static ToolAnswer create(ToolRequest request) {
    SandboxSpec spec =
        new SandboxSpec(
            request.text("name"),
            request.text("template"),
            request.number("cpus"),
            request.integer("memory_mib"),
            null,
            null,
            null,
            null,
            request.number("ttl_seconds"),
            null,
            null,
            null,
            request.text("snapshot"),
            null,
            null,
            null,
            network(request),
            null);
    boolean use = request.flag("use");
    SandboxInfo made = request.sandboxes().create(spec, request.flag("keep"), use);
    ToolAnswer answer =
        ToolAnswer.of(
            line(made)
                + (use
                    ? "\nCalls that name no sandbox go to it from now on."
                    : "\nName it with the argument sandbox; calls that name none go to the"
                        + " session's own as before."));
    row(made).forEach(answer::with);
    return answer;
  }

  private static @Nullable NetworkPolicy network(ToolRequest request) {
    String mode = request.text("network");
    List<String> allow = request.texts("allow");
    if (mode == null && allow.isEmpty()) {
      return null;
    }
    return NetworkPolicy.of(
        mode == null ? NetworkMode.ALLOWLIST : NetworkMode.of(mode), allow.toArray(String[]::new));
  }

  private static Tool list() {
    return new Tool(
        "list_sandboxes",
        "List sandboxes",
        "Lists the living sandboxes of the project, those of other sessions too.",
        Effect.READS,
        Schema.object().arguments(),
        Schema.object()
            .list("sandboxes", "newest first", row().build())
            .requiring("sandboxes")
            .build(),
        SandboxTools::list);
  }

  private static ToolAnswer list(ToolRequest request) {
    List<SandboxInfo> all =
        request
            .engine()
            .sandboxes()
            .list(request.project(), new SandboxQuery(LISTED, null, Set.of(), null, Map.of()))
            .items();
    String lines = all.stream().map(SandboxTools::line).collect(Collectors.joining("\n"));
    return ToolAnswer.of(lines.isEmpty() ? "(none)" : lines)
        .with("sandboxes", all.stream().map(SandboxTools::row).toList());
  }

  private static Tool close() {
    return new Tool(
        "close_sandbox",
        "Close a sandbox",
        "Ends a sandbox with everything in it. Sandboxes of the session end with it in any case. After"
            + " the session's own was closed, the next call that names none makes a new one.",
        Effect.DESTROYS,
        Schema.object().text("sandbox", "id or name").requiring("sandbox").arguments(),
        Schema.object().text("sandbox", "that was ended").requiring("sandbox").build(),
        SandboxTools::close);
  }

  private static ToolAnswer close(ToolRequest request) {
    String named = request.required("sandbox");
    String id = request.engine().sandboxes().get(request.project(), named).id();
    boolean own = id.equals(request.sandboxes().own().orElse(null));
    request.engine().sandboxes().terminate(request.project(), id);
    request.sandboxes().forget(id);
    String follows =
        own
            ? ", the session's own: the next call that names no sandbox makes a new one, with Python"
                + " and without the variables and files of this one"
            : "; the session's own is as it was";
    return ToolAnswer.of("closed " + id + follows).with("sandbox", id);
  }

  /** The fields of a sandbox. */
  static Schema row() {
    return Schema.object()
        .text("sandbox", "its id")
        .text("name", "its name")
        .text("state", "running, hibernated, …")
        .text("template", "what it was made of")
        .text("parent", "the sandbox that it was forked from")
        .requiring("sandbox", "state", "template");
  }

  static Map<String, Object> row(SandboxInfo info) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("sandbox", info.id());
    row.put("state", info.state().wire());
    row.put("template", info.template());
    if (info.name() != null) {
      row.put("name", info.name());
    }
    if (info.parent() != null) {
      row.put("parent", info.parent());
    }
    return row;
  }

  static String line(SandboxInfo info) {
    String name = info.name() == null ? "" : " (" + info.name() + ")";
    return "%s%s, template %s, %s".formatted(info.id(), name, info.template(), info.state().wire());
  }
}
