package dev.atoll.cli;

import dev.atoll.sdk.Sandbox;
import picocli.CommandLine.Parameters;

/** A command about one sandbox. */
abstract class SandboxCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name of the sandbox.")
  String sandbox = "";

  final Sandbox sandbox() {
    return atoll().sandboxes().handle(sandbox);
  }
}
