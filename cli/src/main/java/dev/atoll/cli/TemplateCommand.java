package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The templates. */
@Command(
    name = "template",
    description = "List and build templates.",
    subcommands = {TemplateListCommand.class, TemplateBuildCommand.class})
final class TemplateCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of ls, build");
  }
}
