package dev.atoll.cli;

import dev.atoll.model.BuildInfo;
import dev.atoll.model.Json;
import dev.atoll.model.Visible;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what a build has said. */
@Command(
    name = "logs",
    description = "Show the log of the newest build of a template, or of another; follows it.")
final class TemplateLogsCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The template.")
  String name = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "BUILD", description = "Id of the build.")
  @Nullable String build;

  @Option(names = "--list", description = "List the builds of the template instead.")
  boolean list;

  @Override
  public Integer call() {
    List<BuildInfo> builds = atoll().templates().builds(name);
    if (list) {
      return show(builds);
    }
    if (build == null && builds.isEmpty()) {
      stdio().message("template " + name + " has no builds");
      return ExitCode.ATOLL_FAILED;
    }
    String id = build == null ? builds.get(0).id() : build;
    atoll()
        .templates()
        .logs(
            name,
            id,
            event -> {
              if (json()) {
                stdio().out().println(Json.lenient().writeValueAsString(event));
                stdio().out().flush();
              } else {
                new BuildPrinter(stdio(), false).print(event);
              }
            });
    return ExitCode.OK;
  }

  private Integer show(List<BuildInfo> builds) {
    if (json()) {
      stdio().json(builds);
      return ExitCode.OK;
    }
    Table table = new Table("BUILD", "STATE", "VERSION", "AGE", "MESSAGE");
    for (BuildInfo one : builds) {
      String message = one.message() == null ? "" : one.message();
      table.row(
          one.id(),
          one.state(),
          one.version() == null ? "" : String.valueOf(one.version()),
          Ago.since(one.startedAt()),
          Visible.line(message.lines().findFirst().orElse("")));
    }
    table.print(stdio());
    return ExitCode.OK;
  }
}
