package dev.atoll.cli;

import dev.atoll.model.StateTree;
import picocli.CommandLine.Command;

/** Draws the family of a sandbox. */
@Command(
    name = "tree",
    description = {
      "Draw the sandboxes and kept states that have the same origin as SANDBOX.",
      "States that follow one another stand below each other; forks branch off."
    })
final class TreeCommand extends SandboxCommand {
  @Override
  public Integer call() {
    StateTree tree = sandbox().tree();
    if (json()) {
      stdio().json(tree);
    } else {
      new TreeDrawing(tree, stdio().unicode() ? Strokes.BOX : Strokes.ASCII).table().print(stdio());
    }
    return ExitCode.OK;
  }
}
