package dev.atoll.cli;

import dev.atoll.model.BuildEvent;
import dev.atoll.model.Visible;

/**
 * Shows how a build goes, apart from the output.
 *
 * @param quiet leaves out what its steps print
 */
record BuildPrinter(Stdio stdio, boolean quiet) {

  void print(BuildEvent event) {
    if (event instanceof BuildEvent.BuildStarted started) {
      stdio.message("build " + started.build() + " of " + started.template());
    } else if (event instanceof BuildEvent.BuildStep progress) {
      stdio.message(progress.message());
    } else if (event instanceof BuildEvent.BuildOutput output && !quiet) {
      stdio.err().println("  " + Visible.line(output.text()));
      stdio.err().flush();
    } else if (event instanceof BuildEvent.BuildReady ready) {
      stdio.message("ready: " + ready.template().name() + "@" + ready.template().version());
    } else if (event instanceof BuildEvent.BuildFailed failed) {
      failed.error().message().lines().forEach(line -> stdio.message(Visible.line(line)));
    }
  }
}
