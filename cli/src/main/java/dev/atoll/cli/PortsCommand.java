package dev.atoll.cli;

import dev.atoll.model.PortInfo;
import dev.atoll.model.Visible;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists the ports of a sandbox. */
@Command(
    name = "ports",
    description = "List the ports that programs in a sandbox listen on, and where to reach them.")
final class PortsCommand extends SandboxCommand {
  @Override
  public Integer call() {
    List<PortInfo> ports = sandbox().ports().list();
    if (json()) {
      stdio().json(ports);
      return ExitCode.OK;
    }
    Table table = new Table("PORT", "ACCESS", "PID", "PROGRAM", "URL");
    for (PortInfo port : ports) {
      table.row(
          Integer.toString(port.port()),
          port.access().wire(),
          port.pid() == null ? "-" : Integer.toString(port.pid()),
          program(port),
          port.url() == null ? "-" : port.url());
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  private static String program(PortInfo port) {
    if (!port.listening()) {
      return "(nothing listens)";
    }
    String program = port.program();
    return program == null ? "-" : Visible.line(program);
  }
}
