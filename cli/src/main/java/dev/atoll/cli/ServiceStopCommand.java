package dev.atoll.cli;

import dev.atoll.model.ServiceInfo;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends the instances of services. */
@Command(
    name = "stop",
    description =
        "End the instances of services, which stay deployed: the next request starts one.")
final class ServiceStopCommand extends ListingCommand {
  @Parameters(arity = "0..*", paramLabel = "SERVICE", description = "Ids or names.")
  List<String> services = new ArrayList<>();

  @Option(names = "--all", description = "All services of the project.")
  boolean all;

  @Override
  public Integer call() {
    if (all == !services.isEmpty()) {
      throw new UsageException("give either services or --all");
    }
    List<String> chosen =
        all
            ? atoll().services().list().stream()
                .filter(service -> !service.instances().isEmpty())
                .map(ServiceInfo::id)
                .toList()
            : services;
    List<ServiceInfo> stopped = chosen.stream().map(atoll().services()::stop).toList();
    if (json()) {
      stdio().json(stopped);
    }
    return ExitCode.OK;
  }
}
