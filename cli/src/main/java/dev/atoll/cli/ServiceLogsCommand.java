package dev.atoll.cli;

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
      description = "How many of the last lines; 100 by default.")
  int tail = ServiceLogs.TAIL;

  @Override
  public Integer call() {
    new ServiceLogs(this).print(service, tail, follow);
    return ExitCode.OK;
  }
}
