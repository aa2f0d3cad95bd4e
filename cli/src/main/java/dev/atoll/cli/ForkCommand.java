package dev.atoll.cli;

import dev.atoll.model.ForkRequest;
import dev.atoll.sdk.Sandbox;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes copies of a sandbox. */
@Command(
    name = "fork",
    description = {
      "Make copies of a sandbox and print their ids, one per line.",
      "Each goes on by itself with the same processes, variables and files."
    })
final class ForkCommand extends SandboxCommand {
  @Option(
      names = {"-n", "--count"},
      defaultValue = "1",
      paramLabel = "COUNT",
      description = "How many; ${DEFAULT-VALUE} by default.")
  int count = 1;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "A label of the copies, beside those of the sandbox.")
  Map<String, String> metadata = new LinkedHashMap<>();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Lifetime of each copy, such as 2h; that of the sandbox by default.")
  @Nullable Duration ttl;

  @Override
  public Integer call() {
    List<Sandbox> children =
        sandbox().fork(new ForkRequest(count, metadata, SandboxSettings.seconds(ttl)));
    if (json()) {
      stdio().json(children.stream().map(Sandbox::info).toList());
    } else {
      children.forEach(child -> stdio().out().println(child.id()));
    }
    return ExitCode.OK;
  }
}
