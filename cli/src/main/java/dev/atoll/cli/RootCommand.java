package dev.atoll.cli;

import dev.atoll.sdk.Atoll;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code atoll} itself. */
@Command(
    name = "atoll",
    header = "Atoll: a computer of its own for an AI agent, isolated and stateful.",
    customSynopsis = "atoll COMMAND [OPTIONS]      atoll help COMMAND tells more about one",
    version = "atoll " + Atoll.VERSION,
    usageHelpWidth = 100,
    commandListHeading = "",
    optionListHeading = "%n",
    footerHeading = "%n@|bold Environment|@%n",
    footer = {
      "  ATOLL_HOME         Data directory; /var/lib/atoll for root, else ~/.local/share/atoll.",
      "  ATOLL_URL          Use the server at this address instead of one on this machine.",
      "  ATOLL_API_KEY      Key for that server.",
      "  ATOLL_RUNSC        runsc to use.",
      "  ATOLL_NO_INSTALL   1: install no packages; say which command would.",
      "  JAVA_HOME          JDK to prefer, 25 or later."
    })
final class RootCommand extends AtollCommand {
  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  boolean version;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "Form of the output, before or after the command.")
  void output(OutputForm form) {
    session().output(form);
  }

  @Override
  public Integer call() {
    throw new UsageException("which command? See atoll help");
  }
}
