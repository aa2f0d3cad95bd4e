package dev.atoll.cli;

import dev.atoll.model.TemplateReference;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Deletes templates. */
@Command(
    name = "rm",
    description = "Delete templates, or single versions, that no sandbox or snapshot needs.")
final class TemplateRemoveCommand extends ListingCommand {
  @Parameters(
      arity = "1..*",
      paramLabel = "NAME[@VERSION]",
      description = "Templates; all versions of one when none is named.")
  List<String> names = new ArrayList<>();

  @Override
  public Integer call() {
    return Removal.of(names, false, this::remove, this);
  }

  private void remove(String name) {
    TemplateReference asked = TemplateReference.parse(name);
    if (asked.tag() != null) {
      throw new UsageException("name a version, or remove the tag with `template tag --remove`");
    }
    if (asked.version() == null) {
      atoll().templates().delete(asked.name());
    } else {
      atoll().templates().delete(asked.name(), asked.version());
    }
  }
}
