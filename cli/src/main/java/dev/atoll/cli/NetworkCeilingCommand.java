package dev.atoll.cli;

import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.ProjectNetworkInfo;
import dev.atoll.sdk.Projects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes what no sandbox of a project can exceed. */
@Command(
    name = "ceiling",
    description = {
      "Show what no sandbox of a project can exceed, or change it.",
      "Without options it is shown. With --network, and --allow and --deny as needed, it is replaced,"
          + " which needs the key of an administrator. Open connections that it forbids are closed."
    })
final class NetworkCeilingCommand extends ListingCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "default",
      paramLabel = "PROJECT",
      description = "The project; ${DEFAULT-VALUE} by default.")
  String project = "default";

  @Mixin NetworkSettings settings = new NetworkSettings();

  @Option(names = "--reset", description = "Go back to the ceiling of the server's settings.")
  boolean reset;

  @Override
  public Integer call() {
    ProjectNetworkInfo info = change(atoll().projects());
    if (json()) {
      stdio().json(info);
    } else {
      table(info).print(stdio());
    }
    return ExitCode.OK;
  }

  private ProjectNetworkInfo change(Projects projects) {
    NetworkPolicy ceiling = settings.policy();
    if (reset && ceiling != null) {
      throw new UsageException("--reset goes with no other ceiling");
    }
    if (ceiling != null && settings.mode == null) {
      throw new UsageException("give the mode of the ceiling too, such as --network open");
    }
    if (reset) {
      return projects.resetCeiling(project);
    }
    return ceiling == null ? projects.network(project) : projects.setCeiling(project, ceiling);
  }

  private static Table table(ProjectNetworkInfo info) {
    Table table = new Table("PROJECT", info.project());
    table.row("ceiling", info.ceiling().mode().wire() + (info.own() ? "" : ", the server's"));
    NetworkShowCommand.rules(table, "ceiling ", info.ceiling());
    table.row("open connections", Integer.toString(info.openConnections()));
    table.row("today", Bytes.brief(info.bytesToday()));
    return table;
  }
}
