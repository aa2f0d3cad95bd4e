package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateVersion;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a template. */
@Command(name = "info", description = "Show a template with its versions and tags.")
final class TemplateInfoCommand extends ListingCommand {
  @Parameters(
      index = "0",
      paramLabel = "TEMPLATE",
      description = "NAME, NAME:TAG or NAME@VERSION; OWNER/ before it for another project's.")
  String reference = "";

  @Option(names = "--recipe", description = "Print its recipe and nothing else.")
  boolean recipe;

  @Override
  public Integer call() {
    TemplateInfo info = atoll().templates().get(reference);
    if (recipe) {
      stdio().out().print(info.recipe() == null ? "" : info.recipe());
      return ExitCode.OK;
    }
    if (json()) {
      stdio().json(info);
      return ExitCode.OK;
    }
    Table table = new Table("FIELD", "VALUE");
    table.row("name", info.name());
    table.row("owner", info.owner() == null ? "(comes with the server)" : info.owner());
    table.row("state", info.state());
    table.row("digest", info.digest());
    if (info.sharedWith() != null && !info.sharedWith().isEmpty()) {
      table.row("shared with", String.join(", ", info.sharedWith()));
    }
    table.print(stdio());
    List<TemplateVersion> versions = info.versions();
    if (versions != null) {
      Table list = new Table("VERSION", "TAGS", "SIZE", "AGE", "DIGEST");
      for (TemplateVersion one : versions) {
        list.row(
            String.valueOf(one.version()),
            String.join(", ", one.tags()),
            Bytes.brief(one.sizeBytes()),
            Ago.since(one.createdAt()),
            one.digest().substring(0, Math.min(19, one.digest().length())));
      }
      list.print(stdio());
    }
    return ExitCode.OK;
  }
}
