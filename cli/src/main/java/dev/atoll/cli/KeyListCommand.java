package dev.atoll.cli;

import dev.atoll.model.ApiKeyInfo;
import java.util.List;
import picocli.CommandLine.Command;

/** Lists the keys. */
@Command(name = "ls", description = "List the keys.")
final class KeyListCommand extends ListingCommand {
  @Override
  public Integer call() {
    List<ApiKeyInfo> keys = atoll().keys().list();
    if (json()) {
      stdio().json(keys);
      return ExitCode.OK;
    }
    Table table = new Table("ID", "NAME", "PROJECT", "PREFIX", "AGE", "LAST USED");
    for (ApiKeyInfo key : keys) {
      table.row(
          key.id(),
          key.name(),
          key.project(),
          key.prefix(),
          Ago.since(key.createdAt()),
          key.lastUsedAt() == null ? "-" : Ago.since(key.lastUsedAt()) + " ago");
    }
    table.print(stdio());
    return ExitCode.OK;
  }
}
