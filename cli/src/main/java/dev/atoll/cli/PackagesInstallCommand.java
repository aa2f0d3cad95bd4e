package dev.atoll.cli;

import dev.atoll.model.Installer;
import dev.atoll.model.PackageFailure;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.sdk.RunStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Installs packages and shows how it goes. */
@Command(
    name = "install",
    description = "Install packages: atoll packages install SANDBOX pandas requests==2.32.3",
    sortOptions = false)
final class PackagesInstallCommand extends SandboxCommand {
  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PACKAGE",
      description = "A name, with a version as the manager writes it or without.")
  List<String> packages = new ArrayList<>();

  @Option(
      names = {"-m", "--manager"},
      paramLabel = "pip|npm|apt|gem|cargo",
      converter = InstallerConverter.class,
      description = "The package manager; pip by default.")
  Installer manager = Installer.PIP;

  @Option(
      names = {"-w", "--workdir"},
      paramLabel = "PATH",
      description = "The project that npm installs into.")
  @Nullable String cwd;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Give up after that time; 10m by default.")
  @Nullable Duration timeout;

  @Override
  public Integer call() {
    PackagesRequest request =
        new PackagesRequest(manager, packages, cwd, SandboxSettings.seconds(timeout));
    try (RunStream run = sandbox().packages().stream(request);
        Interrupts.Guard _ = session().interrupts().guard(run::cancel, run::cancel)) {
      return follow(run);
    }
  }

  private int follow(RunStream run) {
    RunEvent.Packages packages = null;
    RunPrinter printer = new RunPrinter(stdio(), false);
    for (RunEvent event : run) {
      if (event instanceof RunEvent.Packages told) {
        packages = told;
      } else if (event instanceof RunEvent.End end) {
        return end(packages, end);
      } else if (!json()) {
        printer.print(event);
      }
    }
    return ExitCode.ATOLL_FAILED;
  }

  private int end(RunEvent.@Nullable Packages packages, RunEvent.End end) {
    if (json() && packages != null) {
      stdio().json(packages);
    }
    PackageFailure failure = packages == null ? null : packages.failure();
    if (failure == null) {
      RunPrinter.tell(end.status(), end.message(), stdio());
    } else {
      stdio().message(OptionNames.translate(failure.message()));
      if (failure.hint() != null) {
        stdio().message(OptionNames.translate(failure.hint()));
      }
    }
    return ExitCode.of(end.status(), end.exitCode());
  }
}
