package dev.atoll.cli;

import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists what is installed. */
@Command(name = "ls", description = "List the packages in a sandbox.")
final class PackagesListCommand extends SandboxCommand {
  @Option(
      names = {"-m", "--manager"},
      paramLabel = "pip|npm|apt|gem|cargo",
      converter = InstallerConverter.class,
      description = "The package manager; pip by default.")
  Installer manager = Installer.PIP;

  @Override
  public Integer call() {
    List<InstalledPackage> all = sandbox().packages().list(manager);
    if (json()) {
      stdio().json(all);
      return ExitCode.OK;
    }
    Table table = new Table("NAME", "VERSION");
    all.forEach(one -> table.row(one.name(), one.version()));
    table.print(stdio());
    return ExitCode.OK;
  }
}
