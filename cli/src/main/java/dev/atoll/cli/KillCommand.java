package dev.atoll.cli;

import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.Sandbox;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends a process in a sandbox. */
@Command(name = "kill", description = "End a process and its descendants.")
final class KillCommand extends SandboxCommand {
  @Parameters(index = "1", paramLabel = "PROCESS", description = "Its id, name or pid.")
  String process = "";

  @Option(
      names = {"-s", "--signal"},
      paramLabel = "NAME",
      description = "Send this signal instead, such as TERM.")
  @Nullable String signal;

  @Override
  public Integer call() {
    Sandbox in = sandbox();
    RemoteProcess target = in.process(ProcessChoice.of(in.processes(), process).id());
    if (signal == null) {
      target.kill();
    } else {
      target.signalTree(signal);
    }
    if (json()) {
      stdio().json(target.info());
    }
    return ExitCode.OK;
  }
}
