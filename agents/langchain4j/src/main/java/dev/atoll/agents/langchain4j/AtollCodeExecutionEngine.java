package dev.atoll.agents.langchain4j;

import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.model.Json;
import dev.langchain4j.code.CodeExecutionEngine;
import java.util.Map;

/** Runs code in a sandbox and returns what it writes; variables are kept from call to call. */
public final class AtollCodeExecutionEngine implements CodeExecutionEngine {
  private final SandboxTools tools;

  private AtollCodeExecutionEngine(SandboxTools tools) {
    this.tools = tools;
  }

  /** The engine of a sandbox. */
  public static AtollCodeExecutionEngine of(SandboxTools tools) {
    return new AtollCodeExecutionEngine(tools);
  }

  @Override
  public String execute(String code) {
    String arguments = Json.lenient().writeValueAsString(Map.of("code", code));
    return tools.call("run_code", arguments).text();
  }
}
