package dev.atoll.cli;

import dev.atoll.model.InstanceState;
import dev.atoll.model.ServiceInfo;
import java.util.List;
import picocli.CommandLine.Command;

/** The services. */
@Command(
    name = "services",
    description = "List the services, or look after one.",
    subcommands = {
      ServiceInfoCommand.class,
      ServiceLogsCommand.class,
      ServiceUpdateCommand.class,
      ServiceRollbackCommand.class,
      ServiceStopCommand.class,
      ServiceShareCommand.class,
      ServiceRemoveCommand.class
    })
final class ServicesCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<ServiceInfo> services = atoll().services().list();
    if (json()) {
      stdio().json(services);
      return ExitCode.OK;
    }
    Table table = new Table("NAME", "STATE", "REVISION", "AWAKE", "MAX", "ACCESS", "URL");
    for (ServiceInfo service : services) {
      table.row(
          service.name(),
          service.state().wire(),
          Integer.toString(service.revision()),
          Long.toString(awake(service)),
          Integer.toString(service.scale().max()),
          service.access().wire(),
          String.valueOf(service.url()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  static long awake(ServiceInfo service) {
    return service.instances().stream()
        .filter(instance -> instance.state() != InstanceState.HIBERNATED)
        .count();
  }
}
