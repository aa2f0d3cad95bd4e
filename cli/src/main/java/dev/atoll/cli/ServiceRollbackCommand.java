package dev.atoll.cli;

import dev.atoll.model.ServiceInfo;
import picocli.CommandLine.Command;

/** Goes back to the revision before. */
@Command(
    name = "rollback",
    description = "Let the revision that served before serve again; once more goes forward.")
final class ServiceRollbackCommand extends OneServiceCommand {
  @Override
  public Integer call() {
    ServiceInfo info = atoll().services().rollback(service);
    if (json()) {
      stdio().json(info);
    } else {
      stdio().out().println("revision " + info.revision() + " serves");
    }
    return ExitCode.OK;
  }
}
