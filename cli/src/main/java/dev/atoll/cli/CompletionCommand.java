package dev.atoll.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    description = {
      "Print a completion script.",
      "bash: source <(atoll completion bash)",
      "zsh:  source <(atoll completion zsh)",
      "fish: atoll completion fish | source",
      "The scripts ask the server for the names of sandboxes, snapshots and templates, if it is up."
    })
final class CompletionCommand extends AtollCommand {
  @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "The shell.")
  String shell = "";

  @Override
  public Integer call() {
    CommandLine whole = Catalogue.whole(session());
    switch (shell) {
      case "bash", "zsh" -> stdio().out().print(new PosixCompletion().script(whole));
      case "fish" -> stdio().out().print(new FishCompletion().script(whole));
      default -> throw new UsageException("the shell is bash, zsh or fish; not " + shell);
    }
    return ExitCode.OK;
  }
}
