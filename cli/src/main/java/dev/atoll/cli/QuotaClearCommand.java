package dev.atoll.cli;

import dev.atoll.model.QuotaInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes back what was set for a project. */
@Command(
    name = "clear",
    description = "Take back all that was set for a project: the server's settings hold again.")
final class QuotaClearCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "PROJECT", description = "The project.")
  String project = "";

  @Override
  public Integer call() {
    QuotaInfo info = atoll().projects().clearQuota(project);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
