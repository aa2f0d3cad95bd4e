package dev.atoll.cli;

import picocli.CommandLine.Command;

/** Gets what is missing. */
@Command(
    name = "setup",
    description = {
      "Get everything that is missing now, for later work without a network.",
      "A JDK 25, runsc, packages to build and to test with; each package is named with its reason."
    })
final class SetupCommand extends LauncherCommand {}
