package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.ServiceInstance;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends sandboxes. */
@Command(name = "rm", description = "End sandboxes; nothing of them is left.")
final class RemoveCommand extends ListingCommand {
  @Parameters(arity = "0..*", paramLabel = "SANDBOX", description = "Ids or names.")
  List<String> sandboxes = new ArrayList<>();

  @Option(
      names = "--all",
      description = "All sandboxes of the project, except for those of services.")
  boolean all;

  @Option(
      names = {"-f", "--force"},
      description = "Do not ask, and do not mind those that are not there.")
  boolean force;

  @Override
  public Integer call() {
    if (all == !sandboxes.isEmpty()) {
      throw new UsageException("give either sandboxes or --all");
    }
    List<String> chosen = all ? everything() : sandboxes;
    if (all && !force && !chosen.isEmpty() && !confirmed(chosen.size())) {
      stdio().message("nothing removed");
      return 1;
    }
    return Removal.of(
        chosen, force, sandbox -> atoll().sandboxes().handle(sandbox).terminate(), this);
  }

  /** Those that are parts of services go with their services. */
  private List<String> everything() {
    Set<String> parts =
        atoll().services().list().stream()
            .flatMap(service -> service.instances().stream())
            .map(ServiceInstance::sandbox)
            .collect(Collectors.toSet());
    return atoll().sandboxes().list().stream()
        .map(SandboxInfo::id)
        .filter(id -> !parts.contains(id))
        .toList();
  }

  private boolean confirmed(int count) {
    if (!stdio().inTerminal()) {
      throw new UsageException("--all asks before it removes; without a terminal add --force");
    }
    stdio().err().print("Remove " + count + (count == 1 ? " sandbox" : " sandboxes") + "? [y/N] ");
    stdio().err().flush();
    try {
      String answer =
          new BufferedReader(new InputStreamReader(stdio().in(), StandardCharsets.UTF_8))
              .readLine();
      return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
