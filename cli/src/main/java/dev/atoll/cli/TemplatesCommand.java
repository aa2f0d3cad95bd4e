package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists the templates. */
@Command(name = "templates", description = "List the templates.")
class TemplatesCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<TemplateInfo> templates = atoll().templates().list();
    if (json()) {
      stdio().json(templates);
      return ExitCode.OK;
    }
    Table table = new Table("NAME", "STATE", "DIGEST", "MESSAGE");
    for (TemplateInfo template : templates) {
      String digest = template.digest();
      table.row(
          template.name(),
          template.state(),
          digest.substring(0, Math.min(19, digest.length())),
          template.message() == null ? "" : template.message());
    }
    table.print(stdio());
    return ExitCode.OK;
  }
}
