package dev.atoll.cli;

import dev.atoll.model.DeployEvent;
import dev.atoll.model.HealthCheck;
import dev.atoll.model.ServiceInfo;
import dev.atoll.model.Visible;
import dev.atoll.sdk.ServiceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deploys a service. */
@Command(
    name = "deploy",
    description = {
      "Run a program as a service: print the address at which it is reached.",
      "A service of that name goes on until the new revision is healthy, and is then replaced."
    })
final class DeployCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The service's name.")
  String name = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "DIRECTORY",
      description = "The program's files.")
  @Nullable Path directory;

  @Option(
      names = "--start",
      required = true,
      paramLabel = "COMMAND",
      description = "The program; it finds its port in PORT.")
  String start = "";

  @Option(names = "--git", paramLabel = "URL", description = "Clone this in place of a directory.")
  @Nullable String git;

  @Option(names = "--ref", paramLabel = "REF", description = "The branch or tag to clone.")
  @Nullable String ref;

  @Option(
      names = "--setup",
      paramLabel = "COMMAND",
      description = "Run once before the program starts.")
  @Nullable String setup;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      description = "Where the program listens; 8080 by default.")
  @Nullable Integer port;

  @Option(
      names = "--health",
      paramLabel = "PATH",
      description = "A path that must be answered; by default a connection is enough.")
  @Nullable String health;

  @Option(
      names = "--start-timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long it may take to become healthy; 1m by default.")
  @Nullable Duration startTimeout;

  @Option(
      names = "--start-each",
      description = "Start the program in each instance, instead of copying the running one.")
  boolean startEach;

  @Mixin ScaleSettings scale = new ScaleSettings();
  @Mixin SandboxSettings settings = new SandboxSettings();

  @Option(
      names = {"-q", "--quiet"},
      description = "Show the steps, not what they print.")
  boolean quiet;

  @Override
  public Integer call() {
    if (directory != null && git != null) {
      throw new UsageException("give either a directory or --git");
    }
    if (directory != null && !Files.isDirectory(directory)) {
      throw new UsageException("there is no directory " + directory);
    }
    ServiceInfo service =
        atoll().services().deploy(settings.service(name, options(), scale), this::print);
    if (json()) {
      stdio().json(service);
    } else {
      stdio().out().println(service.url());
    }
    return ExitCode.OK;
  }

  private ServiceOptions options() {
    ServiceOptions options = new ServiceOptions().start(start);
    if (directory != null) {
      options.directory(directory);
    }
    if (git != null) {
      options.git(git, ref);
    }
    if (setup != null) {
      options.setup(setup);
    }
    if (port != null) {
      options.port(port);
    }
    if (health != null) {
      options.health(new HealthCheck(health, null, null));
    }
    if (startTimeout != null) {
      options.startTimeout(startTimeout);
    }
    return startEach ? options.startEach() : options;
  }

  private void print(DeployEvent event) {
    if (event instanceof DeployEvent.DeployStep step) {
      stdio().message(step.message());
    } else if (event instanceof DeployEvent.DeployOutput output && !quiet) {
      stdio().err().println("  " + Visible.line(output.text()));
      stdio().err().flush();
    }
  }
}
