package dev.atoll.cli;

import dev.atoll.model.ServiceLogLine;
import dev.atoll.sdk.ServiceLogFeed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints what the instances of a service have written. */
@Command(name = "logs", description = "Print what the instances of a service have written.")
final class ServiceLogsCommand extends OneServiceCommand {
  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what they write, until Ctrl-C.")
  boolean follow;

  @Option(
      names = "--tail",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many of the last lines; 100 by default.")
  int tail;

  @Override
  public Integer call() {
    if (!follow) {
      atoll().services().logs(service, tail).forEach(this::print);
      return ExitCode.OK;
    }
    try (ServiceLogFeed feed = atoll().services().follow(service, tail)) {
      feed.forEach(this::print);
    }
    return ExitCode.OK;
  }

  private void print(ServiceLogLine line) {
    if (json()) {
      stdio().json(line);
    } else {
      stdio()
          .out()
          .println(
              "%s r%d %s  %s"
                  .formatted(
                      line.instance(), line.revision(), line.stream(), Visible.line(line.text())));
      stdio().out().flush();
    }
  }
}
