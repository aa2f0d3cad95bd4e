package dev.atoll.cli;

import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists the background processes of a sandbox. */
@Command(name = "ps", description = "List the processes that were started in a sandbox.")
final class ProcessesCommand extends SandboxCommand {
  @Override
  public Integer call() {
    List<ProcessInfo> processes = sandbox().processes();
    if (json()) {
      stdio().json(processes);
      return ExitCode.OK;
    }
    Table table = new Table("ID", "PID", "NAME", "STATE", "AGE", "COMMAND");
    for (ProcessInfo process : processes) {
      table.row(
          process.id(),
          Integer.toString(process.pid()),
          process.name() == null ? "-" : process.name(),
          state(process),
          Ago.since(process.startedAt()),
          String.join(" ", process.command()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  private static String state(ProcessInfo process) {
    RunEvent.End end = process.end();
    if (process.running() || end == null) {
      return "running";
    }
    return end.status().wire() + " (" + end.exitCode() + ")";
  }
}
