package dev.atoll.engine;

import dev.atoll.model.*;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All operations on sandboxes. */
public final class Sandboxes {
  Sandboxes() {}
  public SandboxInfo create(String project, SandboxSpec spec, @Nullable String idempotencyKey) { throw new UnsupportedOperationException(); }
  public SandboxInfo get(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public Page<SandboxInfo> list(String project, SandboxQuery query) { throw new UnsupportedOperationException(); }
  public SandboxInfo update(String project, String idOrName, SandboxUpdate update) { throw new UnsupportedOperationException(); }
  public void terminate(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public SandboxInfo pause(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public SandboxInfo resume(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public SandboxStats stats(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public Run runCode(String project, String idOrName, RunCodeRequest request) { throw new UnsupportedOperationException(); }
  public Run runCommand(String project, String idOrName, CommandRequest request) { throw new UnsupportedOperationException(); }
  public Run startProcess(String project, String idOrName, CommandRequest request) { throw new UnsupportedOperationException(); }
  public Run run(String project, String idOrName, String runId) { throw new UnsupportedOperationException(); }
  public List<ProcessInfo> processes(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public void forget(String project, String idOrName, String runId) { throw new UnsupportedOperationException(); }
  public List<ContextInfo> contexts(String project, String idOrName) { throw new UnsupportedOperationException(); }
  public ContextInfo openContext(String project, String idOrName, ContextSpec spec) { throw new UnsupportedOperationException(); }
  public ContextInfo restartContext(String project, String idOrName, String name) { throw new UnsupportedOperationException(); }
  public void deleteContext(String project, String idOrName, String name) { throw new UnsupportedOperationException(); }
  public void interruptContext(String project, String idOrName, String name) { throw new UnsupportedOperationException(); }
  public SandboxFiles files(String project, String idOrName) { throw new UnsupportedOperationException(); }
}
