package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets another project use a template. */
@Command(
    name = "share",
    description = {
      "Let another project use a template, as OWNER/NAME.",
      "It cannot change the template, nor read its recipe."
    })
final class TemplateShareCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The template.")
  String name = "";

  @Parameters(index = "1", paramLabel = "PROJECT", description = "The other project.")
  String project = "";

  @Option(names = "--remove", description = "End it; sandboxes that exist go on.")
  boolean remove;

  @Override
  public Integer call() {
    if (remove) {
      atoll().templates().unshare(name, project);
      return ExitCode.OK;
    }
    TemplateInfo shared = atoll().templates().share(name, project);
    if (json()) {
      stdio().json(shared);
    }
    return ExitCode.OK;
  }
}
