package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The templates. */
@Command(
    name = "template",
    description = "List, build, tag, share and delete templates.",
    subcommands = {
      TemplateListCommand.class,
      TemplateBuildCommand.class,
      TemplateInfoCommand.class,
      TemplateLogsCommand.class,
      TemplateTagCommand.class,
      TemplateShareCommand.class,
      TemplateRemoveCommand.class
    })
final class TemplateCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of ls, build, info, logs, tag, share, rm");
  }
}
