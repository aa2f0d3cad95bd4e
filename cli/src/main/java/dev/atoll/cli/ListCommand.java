package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists sandboxes. */
@Command(name = "ls", description = "List sandboxes.")
final class ListCommand extends ListingCommand {
  @Option(
      names = {"-a", "--all"},
      description = "Also those that have ended.")
  boolean all;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only names, or ids of those without a name.")
  boolean quiet;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "Only those with this label.")
  Map<String, String> metadata = new LinkedHashMap<>();

  @Override
  public Integer call() {
    List<SandboxInfo> found =
        atoll()
            .sandboxes()
            .list(
                query -> {
                  metadata.forEach(query::metadata);
                  if (all) {
                    query.includeEnded();
                  }
                })
            .stream()
            .toList();
    if (json()) {
      stdio().json(found);
    } else if (quiet) {
      found.forEach(s -> stdio().out().println(s.name() == null ? s.id() : s.name()));
    } else {
      table(found).print(stdio());
    }
    return ExitCode.OK;
  }

  private static Table table(List<SandboxInfo> found) {
    Table table = new Table("ID", "NAME", "STATE", "TEMPLATE", "ISOLATION", "AGE", "ENDS IN");
    for (SandboxInfo s : found) {
      Instant expires = s.expiresAt();
      table.row(
          s.id(),
          s.name() == null ? "-" : s.name(),
          s.reason() == null ? s.state().wire() : s.state().wire() + " (" + s.reason() + ")",
          s.template(),
          s.isolation().wire(),
          Ago.since(s.createdAt()),
          expires == null || s.endedAt() != null ? "-" : Ago.until(expires));
    }
    return table;
  }
}
