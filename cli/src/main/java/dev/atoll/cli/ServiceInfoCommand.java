package dev.atoll.cli;

import dev.atoll.model.ServiceInfo;
import dev.atoll.model.ServiceInstance;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.Visible;
import java.math.BigDecimal;
import java.util.List;
import picocli.CommandLine.Command;

/** Shows a service. */
@Command(name = "info", description = "Show a service, its instances and its revisions.")
final class ServiceInfoCommand extends OneServiceCommand {
  /** What scripts read. */
  record Whole(ServiceInfo service, List<ServiceRevision> revisions) {}

  @Override
  public Integer call() {
    ServiceInfo info = atoll().services().get(service);
    List<ServiceRevision> revisions = atoll().services().revisions(service);
    if (json()) {
      stdio().json(new Whole(info, revisions));
      return ExitCode.OK;
    }
    Table table = new Table("SERVICE", info.name());
    table.row("id", info.id());
    table.row("state", info.state().wire());
    table.row("url", String.valueOf(info.url()));
    table.row("access", info.access().wire());
    table.row("program", Visible.line(info.start()) + " on port " + info.port());
    table.row("scale", scale(info));
    if (info.previous() != null) {
      table.row("rollback", "to revision " + info.previous());
    }
    table.row("waiting", Integer.toString(info.waiting()));
    if (info.problem() != null) {
      table.row("problem", Visible.line(info.problem()));
    }
    table.print(stdio());
    instances(info);
    revisions(revisions);
    return ExitCode.OK;
  }

  private static String scale(ServiceInfo info) {
    return "%d to %d instances, %d requests each, asleep after %s s"
        .formatted(
            info.scale().min(),
            info.scale().max(),
            info.scale().concurrency(),
            BigDecimal.valueOf(info.scale().idleSeconds()).stripTrailingZeros().toPlainString());
  }

  private void instances(ServiceInfo info) {
    Table table = new Table("INSTANCE", "SANDBOX", "REVISION", "STATE", "REQUESTS", "RESTARTS");
    for (ServiceInstance one : info.instances()) {
      table.row(
          one.name(),
          one.sandbox(),
          Integer.toString(one.revision()),
          one.state().wire(),
          Integer.toString(one.inFlight()),
          Integer.toString(one.restarts()));
    }
    stdio().out().println();
    table.print(stdio());
  }

  private void revisions(List<ServiceRevision> revisions) {
    Table table = new Table("REVISION", "STATE", "DEPLOYED", "MESSAGE");
    for (ServiceRevision one : revisions) {
      String message = one.message();
      table.row(
          Integer.toString(one.number()),
          one.state().wire(),
          Ago.since(one.createdAt()),
          message == null ? "" : Visible.line(message.lines().findFirst().orElse("")));
    }
    stdio().out().println();
    table.print(stdio());
  }
}
