package dev.atoll.agents.tools;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.CallInterruptedException;
import dev.atoll.sdk.ConnectionException;
import dev.atoll.sdk.Sandbox;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * A sandbox as tools of a language model: definitions to send, and a dispatcher for the calls that
 * come back.
 *
 * <pre>{@code
 * try (Sandbox sandbox = atoll.sandboxes().create();
 *     SandboxTools tools = SandboxTools.of(sandbox)) {
 *   send(tools.definitions());
 *   ToolResult result = tools.call("run_code", "{\"code\": \"print(6 * 7)\"}");
 * }
 * }</pre>
 *
 * <p>Whatever a model sends is answered: what cannot be done is a result that says why, in words
 * for the model. Only the end of the sandbox is an exception, since no other call could succeed.
 * Thread-safe.
 */
public final class SandboxTools implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SandboxTools.class.getName());

  private static final Set<ErrorCode> LOST =
      Set.of(ErrorCode.SANDBOX_NOT_FOUND, ErrorCode.SANDBOX_NOT_RUNNING, ErrorCode.GONE);

  private final Workspace workspace;
  private final ToolLimits limits;
  private final Branches branches = new Branches();
  private final Map<String, Tool> tools;
  private final Map<String, ToolDefinition> definitions = new LinkedHashMap<>();

  private SandboxTools(Workspace workspace, ToolLimits limits, Map<String, Tool> tools) {
    this.workspace = workspace;
    this.limits = limits;
    this.tools = tools;
    WorkspaceFacts facts = workspace.facts();
    tools.forEach((name, tool) -> definitions.put(name, tool.definition(facts)));
  }

  /** The tools of a sandbox; which, depends on what it may do. */
  public static SandboxTools of(Sandbox sandbox) {
    return of(Workspace.of(sandbox));
  }

  /** The tools of a workspace; which, depends on what it may do. */
  public static SandboxTools of(Workspace workspace) {
    return of(workspace, ToolLimits.defaults());
  }

  /** The tools of a workspace, with limits of one's own. */
  public static SandboxTools of(Workspace workspace, ToolLimits limits) {
    return new SandboxTools(workspace, limits, allowed(workspace.facts()));
  }

  private static Map<String, Tool> allowed(WorkspaceFacts facts) {
    Map<String, Tool> tools = new LinkedHashMap<>();
    tools.put("run_code", new RunCodeTool());
    tools.put("run_shell", new RunShellTool());
    NetworkMode network = facts.network().mode();
    if (network == NetworkMode.PACKAGES || network == NetworkMode.OPEN) {
      tools.put("install_packages", new InstallPackagesTool());
    }
    tools.put("read_file", new ReadFileTool());
    tools.put("write_file", new WriteFileTool());
    tools.put("list_files", new ListFilesTool());
    tools.put("fork", new ForkTool());
    tools.put("merge", new MergeTool());
    if (facts.rewindable() > 0) {
      tools.put("rewind", new RewindTool());
    }
    return tools;
  }

  /** These tools alone, in this order; the same sandbox. */
  public SandboxTools only(String... names) {
    Map<String, Tool> chosen = new LinkedHashMap<>();
    for (String name : names) {
      Tool tool = tools.get(name);
      if (tool == null) {
        throw new IllegalArgumentException("no tool " + name + " here, but " + tools.keySet());
      }
      chosen.put(name, tool);
    }
    return new SandboxTools(workspace, limits, chosen);
  }

  /** The same tools of another workspace, such as a copy of this one. */
  public SandboxTools on(Workspace other) {
    return new SandboxTools(other, limits, tools);
  }

  /** The definitions, for a request to a model. */
  public List<ToolDefinition> definitions() {
    return List.copyOf(definitions.values());
  }

  /** What the calls work on. */
  public Workspace workspace() {
    return workspace;
  }

  /**
   * Carries out a call.
   *
   * @param arguments JSON as the model wrote it
   * @throws CallInterruptedException if the calling thread was interrupted
   * @throws AtollException if the sandbox has ended or the server cannot be reached
   */
  public ToolResult call(String name, String arguments) {
    return call(new ToolCall("call", name, arguments), CallListener.NONE);
  }

  /**
   * Carries out a call, and tells of it while it happens.
   *
   * @throws CallInterruptedException if the calling thread was interrupted
   * @throws AtollException if the sandbox has ended or the server cannot be reached
   */
  public ToolResult call(ToolCall call, CallListener listener) {
    listener.started(call);
    ToolResult result = result(call, listener);
    listener.ended(call, result);
    return result;
  }

  /**
   * Carries out the calls of one turn, at the same time where they do not touch each other, and in
   * order where they do: code that shares variables, and whatever changes the sandbox as a whole.
   *
   * @return the results, in order of the calls
   * @throws CallInterruptedException if the calling thread was interrupted
   * @throws AtollException if the sandbox has ended or the server cannot be reached
   */
  public List<ToolResult> callAll(List<ToolCall> calls, CallListener listener) {
    ToolResult[] results = new ToolResult[calls.size()];
    Map<String, List<Integer>> lanes = new LinkedHashMap<>();
    for (int i = 0; i < calls.size(); i++) {
      ToolCall call = calls.get(i);
      Tool tool = tools.get(call.name());
      if (tool != null && tool.exclusive()) {
        drive(calls, lanes, results, listener);
        results[i] = call(call, listener);
      } else {
        // Ids come from the model and may be equal; then the calls just share a lane.
        String lane = tool == null ? call.id() : tool.lane(call);
        lanes.computeIfAbsent(lane, key -> new ArrayList<>()).add(i);
      }
    }
    drive(calls, lanes, results, listener);
    return List.of(results);
  }

  private void drive(
      List<ToolCall> calls,
      Map<String, List<Integer>> lanes,
      ToolResult[] results,
      CallListener listener) {
    List<Callable<Boolean>> runs = new ArrayList<>();
    for (List<Integer> lane : List.copyOf(lanes.values())) {
      runs.add(
          () -> {
            lane.forEach(i -> results[i] = call(calls.get(i), listener));
            return true;
          });
    }
    lanes.clear();
    Concurrently.all(runs);
  }

  private ToolResult result(ToolCall call, CallListener listener) {
    Tool tool = tools.get(call.name());
    ToolDefinition definition = definitions.get(call.name());
    if (tool == null || definition == null) {
      return ToolResult.failure(
          "There is no tool \"%s\"; there is %s."
              .formatted(
                  call.name().substring(0, Math.min(100, call.name().length())),
                  String.join(", ", tools.keySet())));
    }
    Desk desk =
        new Desk(
            workspace, limits, branches, (stream, text) -> listener.output(call, stream, text));
    try {
      return tool.call(Arguments.parse(call.arguments()).knowing(definition.inputSchema()), desk);
    } catch (Arguments.Unusable e) {
      return ToolResult.failure(String.valueOf(e.getMessage()));
    } catch (CallInterruptedException e) {
      throw e;
    } catch (AtollException e) {
      if (e instanceof ConnectionException || LOST.contains(e.code())) {
        throw e;
      }
      return ToolResult.failure(told(e));
    } catch (UncheckedIOException e) {
      return ToolResult.failure("The call failed: " + e.getMessage());
    } catch (RuntimeException e) {
      // A model must not be able to end the program that serves it, whatever it finds.
      LOG.log(System.Logger.Level.WARNING, "tool " + call.name() + " failed", e);
      return ToolResult.failure("The call failed: " + e);
    }
  }

  private static String told(AtollException failure) {
    String hint = failure.hint() == null ? "" : " (" + failure.hint() + ")";
    Object log = failure.details().get("log");
    return failure.getMessage() + hint + (log == null ? "" : "\n" + log);
  }

  /** Ends copies that a model has forked; the workspace itself stays. */
  @Override
  public void close() {
    branches.close();
  }
}
