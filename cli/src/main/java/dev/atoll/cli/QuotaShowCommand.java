package dev.atoll.cli;

import dev.atoll.model.QuotaInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows what a project may have and what it has. */
@Command(
    name = "show",
    description = "Show what a project may have, what it has, and what takes it up.")
final class QuotaShowCommand extends ListingCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PROJECT",
      description = "The project; that of the key by default.")
  @Nullable String project;

  @Override
  public Integer call() {
    QuotaInfo info =
        project == null ? atoll().projects().quota() : atoll().projects().quota(project);
    if (json()) {
      stdio().json(info);
    } else {
      QuotaCells.table(info).print(stdio());
    }
    return ExitCode.OK;
  }
}
