package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxUpdate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes a living sandbox. */
@Command(
    name = "update",
    description = {
      "Change a sandbox; what is not given stays.",
      "--network, --allow and --deny together replace what it may reach; atoll network changes it"
          + " piece by piece."
    })
final class UpdateCommand extends SandboxCommand {
  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "New lifetime from now on, such as 2h.")
  @Nullable Duration ttl;

  @Option(
      names = "--idle-timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "New idle timeout.")
  @Nullable Duration idle;

  @Option(
      names = "--persistent",
      negatable = true,
      description = "Whether idleness leaves it alone.")
  @Nullable Boolean persistent;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "KEY=VALUE",
      description = "Replaces the variables.")
  @Nullable Map<String, String> env;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "Replaces the labels.")
  @Nullable Map<String, String> metadata;

  @Mixin StateSettings state = new StateSettings();
  @Mixin NetworkSettings network = new NetworkSettings();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "Replaces the secrets that its requests may use; '' alone for none.")
  @Nullable List<String> names;

  @Override
  public Integer call() {
    if (nothing()) {
      throw new UsageException("nothing to change; see atoll update --help");
    }
    SandboxUpdate update =
        new SandboxUpdate(
            SandboxSettings.seconds(ttl),
            SandboxSettings.seconds(idle),
            persistent,
            env,
            metadata,
            state.onIdle,
            state.checkpoints(),
            state.forkAhead,
            network.policy(),
            secrets());
    SandboxInfo info = sandbox().update(update);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }

  private @Nullable List<String> secrets() {
    return names == null ? null : names.stream().filter(name -> !name.isEmpty()).toList();
  }

  private boolean nothing() {
    return ttl == null
        && idle == null
        && persistent == null
        && env == null
        && metadata == null
        && state.absent()
        && network.policy() == null
        && names == null;
  }
}
