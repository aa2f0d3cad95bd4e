package dev.atoll.cli;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Keeps the state of a sandbox. */
@Command(
    name = "create",
    description = {
      "Keep the state of a sandbox and print the id of the snapshot.",
      "The sandbox goes on. A hibernated one is not woken."
    })
final class SnapshotCreateCommand extends SandboxCommand {
  @Option(names = "--name", paramLabel = "NAME", description = "A name for the snapshot.")
  @Nullable String name;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "KEY=VALUE",
      description = "A label.")
  Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--files", description = "Files alone, without processes and variables.")
  boolean files;

  @Override
  public Integer call() {
    SnapshotKind kind = files ? SnapshotKind.FILES : SnapshotKind.MEMORY;
    SnapshotInfo taken = sandbox().snapshot(new SnapshotRequest(name, labels, kind));
    if (json()) {
      stdio().json(taken);
    } else {
      stdio().out().println(taken.id());
    }
    return ExitCode.OK;
  }
}
