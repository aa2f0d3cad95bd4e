package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows an agent at work. */
@Command(
    name = "demo",
    description = {
      "Watch an agent at work: it runs code, mends its errors, tries three ways in forks.",
      "The model is scripted, unless ANTHROPIC_API_KEY or OPENAI_API_KEY is set; the sandbox is"
          + " real.",
      "The first time it is built, which takes a minute. Ctrl-C ends the sandbox, too."
    })
final class DemoCommand extends LauncherCommand {
  @Option(
      names = "--format",
      paramLabel = "anthropic|openai|responses",
      description = "Wire format of the scripted model; anthropic.")
  String format = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "json: what happens as JSON lines, as in a transcript.")
  String output = "";
}
