package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import dev.atoll.model.Visible;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the templates. */
@Command(name = "templates", description = "List the templates.")
class TemplatesCommand extends ListingCommand {
  @Option(
      names = {"-q", "--quiet"},
      description = "Only names.")
  boolean quiet;

  @Override
  public Integer call() {
    List<TemplateInfo> templates = atoll().templates().list();
    if (json()) {
      stdio().json(templates);
      return ExitCode.OK;
    }
    if (quiet) {
      templates.forEach(template -> stdio().out().println(template.name()));
      return ExitCode.OK;
    }
    Table table = new Table("NAME", "OWNER", "VERSION", "STATE", "SIZE", "DIGEST", "DESCRIPTION");
    for (TemplateInfo template : templates) {
      String digest = template.digest();
      table.row(
          template.name(),
          template.owner() == null ? "" : template.owner(),
          template.version() == null ? "" : String.valueOf(template.version()),
          template.state(),
          template.sizeBytes() == null ? "" : Bytes.brief(template.sizeBytes()),
          digest.substring(0, Math.min(19, digest.length())),
          note(template));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  /** What is being done is of more use than what it is for. */
  private static String note(TemplateInfo template) {
    String text = template.message() == null ? template.description() : template.message();
    return text == null ? "" : Visible.line(text.lines().findFirst().orElse(""));
  }
}
