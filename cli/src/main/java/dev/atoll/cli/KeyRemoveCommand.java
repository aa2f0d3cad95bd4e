package dev.atoll.cli;

import dev.atoll.model.ApiKeyInfo;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes keys back. */
@Command(name = "rm", description = "Take keys back; they stop working at once.")
final class KeyRemoveCommand extends ListingCommand {
  @Parameters(
      arity = "1..*",
      paramLabel = "KEY",
      description = "Ids as `atoll key ls` shows them, or names that only one key has.")
  List<String> keys = new ArrayList<>();

  @Override
  public Integer call() {
    List<ApiKeyInfo> known = atoll().keys().list();
    List<String> ids = keys.stream().map(key -> id(key, known)).toList();
    return Removal.of(ids, false, atoll().keys()::revoke, this);
  }

  /** What is neither an id nor a name is left for the server to refuse. */
  private static String id(String key, List<ApiKeyInfo> known) {
    if (known.stream().anyMatch(info -> info.id().equals(key))) {
      return key;
    }
    List<String> named =
        known.stream().filter(info -> info.name().equals(key)).map(ApiKeyInfo::id).toList();
    if (named.size() > 1) {
      throw new UsageException(
          "several keys are named " + key + "; give one of the ids " + String.join(", ", named));
    }
    return named.isEmpty() ? key : named.get(0);
  }
}
