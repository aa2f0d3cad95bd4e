package dev.atoll.cli;

import dev.atoll.model.ClaimRequest;
import dev.atoll.model.OnIdle;
import dev.atoll.sdk.Sandbox;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a sandbox out of a pool. */
@Command(name = "claim", description = "Take a sandbox out of a pool and print its id.")
final class PoolClaimCommand extends OnePoolCommand {
  @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "A name for it.")
  @Nullable String name;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "KEY=VALUE",
      description = "Variable of everything that is started in it.")
  @Nullable Map<String, String> env;

  @Option(
      names = "--on-idle",
      paramLabel = "hibernate|terminate",
      converter = OnIdleConverter.class,
      description = "What happens after the idle timeout; terminate by default.")
  @Nullable OnIdle onIdle;

  @Mixin LifeSettings life = new LifeSettings();
  @Mixin NetworkSettings network = new NetworkSettings();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "Secret that its requests may use, in place of the pool's; can be given again.")
  @Nullable List<String> secrets;

  @Override
  public Integer call() {
    Sandbox claimed =
        atoll()
            .pools()
            .claim(
                pool,
                new ClaimRequest(
                    name,
                    env,
                    life.labels(),
                    life.ttlSeconds(),
                    life.idleSeconds(),
                    life.persistence(),
                    onIdle,
                    network.policy(),
                    secrets));
    if (json()) {
      stdio().json(claimed.info());
    } else {
      stdio().out().println(claimed.id());
    }
    return ExitCode.OK;
  }
}
