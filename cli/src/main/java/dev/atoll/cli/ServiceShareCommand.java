package dev.atoll.cli;

import dev.atoll.model.PortShare;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets others reach a private service. */
@Command(
    name = "share",
    description = "Print an address with a token in it, which lets in who follows it.")
final class ServiceShareCommand extends OneServiceCommand {
  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long the token is good for; a day by default.")
  @Nullable Duration ttl;

  @Override
  public Integer call() {
    PortShare share =
        ttl == null ? atoll().services().share(service) : atoll().services().share(service, ttl);
    if (json()) {
      stdio().json(share);
    } else {
      stdio().out().println(share.url());
    }
    return ExitCode.OK;
  }
}
