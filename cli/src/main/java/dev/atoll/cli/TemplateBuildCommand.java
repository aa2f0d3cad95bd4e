package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Builds a template. */
@Command(name = "build", description = "Build a template if it is not ready.")
final class TemplateBuildCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The template.")
  String name = "";

  @Override
  public Integer call() {
    TemplateInfo built = atoll().templates().build(name, stdio()::message);
    if (json()) {
      stdio().json(built);
    }
    return ExitCode.OK;
  }
}
