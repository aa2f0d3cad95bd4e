package dev.atoll.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes all that the server keeps to a file. */
@Command(
    name = "backup",
    description = "Write all that the server keeps to a file, while it goes on.")
final class BackupCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "The file; it holds keys.")
  String file = "";

  @Option(
      names = {"-f", "--force"},
      description = "Replace a file that is there.")
  boolean force;

  /** What scripts read. */
  record Backup(String file, long bytes) {}

  @Override
  public Integer call() {
    // For its owner alone: such files are made with the mode 0600.
    try (AsideFile target = new AsideFile(Path.of(file), force)) {
      try (OutputStream out = target.open();
          TransferProgress progress =
              new TransferProgress(stdio(), "backing up", System::nanoTime)) {
        atoll().backupTo(progress.count(out));
      }
      target.complete();
      if (json()) {
        stdio().json(new Backup(file, Files.size(Path.of(file))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ExitCode.OK;
  }
}
