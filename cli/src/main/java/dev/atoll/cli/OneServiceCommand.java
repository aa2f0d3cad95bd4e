package dev.atoll.cli;

import picocli.CommandLine.Parameters;

/** A command about one service. */
abstract class OneServiceCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "SERVICE", description = "Id or name of the service.")
  String service = "";
}
