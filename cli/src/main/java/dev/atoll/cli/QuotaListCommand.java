package dev.atoll.cli;

import dev.atoll.model.QuotaInfo;
import dev.atoll.model.QuotaName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** Lists the projects with their quotas. */
@Command(
    name = "ls",
    description = "List all projects with what they use, which needs the key of an administrator.")
final class QuotaListCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<QuotaInfo> all = atoll().projects().quotas();
    if (json()) {
      stdio().json(all);
      return ExitCode.OK;
    }
    Table table =
        new Table(
            Stream.concat(
                    Stream.of("PROJECT"),
                    Arrays.stream(QuotaName.values())
                        .map(name -> name.wire().toUpperCase(Locale.ROOT)))
                .toArray(String[]::new));
    for (QuotaInfo info : all) {
      List<String> cells = new ArrayList<>(List.of(info.project()));
      for (QuotaName name : QuotaName.values()) {
        cells.add(cell(info, name));
      }
      table.row(cells.toArray(String[]::new));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  /** A server of another version may not know all of them. */
  private static String cell(QuotaInfo info, QuotaName name) {
    return info.quotas().stream()
        .filter(usage -> usage.name() == name)
        .map(QuotaCells::brief)
        .findFirst()
        .orElse("-");
  }
}
