package dev.atoll.cli;

import dev.atoll.model.PortAccess;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceUpdate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes a service without a deployment. */
@Command(name = "update", description = "Change how a service is scaled; what is not given stays.")
final class ServiceUpdateCommand extends OneServiceCommand {
  @Mixin ScaleSettings scale = new ScaleSettings();

  @Option(names = "--private", description = "Let only those in who have a key or a token.")
  boolean closed;

  @Override
  public Integer call() {
    if (closed && scale.open) {
      throw new UsageException("give either --public or --private");
    }
    PortAccess access = closed ? PortAccess.PRIVATE : scale.access();
    ServiceUpdate update =
        new ServiceUpdate(scale.min, scale.max, scale.idleSeconds(), scale.concurrency, access);
    if (update.equals(new ServiceUpdate(null, null, null, null, null))) {
      throw new UsageException("nothing to change; see atoll services update --help");
    }
    ServiceInfo info = atoll().services().update(service, update);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
