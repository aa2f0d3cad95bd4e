package dev.atoll.cli;

import picocli.CommandLine.Parameters;

/** A command about one pool. */
abstract class OnePoolCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "POOL", description = "Id or name of the pool.")
  String pool = "";
}
