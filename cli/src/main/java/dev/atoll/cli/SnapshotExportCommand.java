package dev.atoll.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a snapshot to a file. */
@Command(
    name = "export",
    description = "Write a snapshot to a file that another server can import.")
final class SnapshotExportCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "SNAPSHOT", description = "Id or name of the snapshot.")
  String snapshot = "";

  @Parameters(index = "1", paramLabel = "FILE", description = "The file; - for standard output.")
  String file = "";

  @Option(
      names = {"-f", "--force"},
      description = "Replace a file that is there.")
  boolean force;

  /** What scripts read. */
  record Export(String snapshot, String file, long bytes) {}

  @Override
  public Integer call() {
    if (file.equals("-")) {
      if (json()) {
        throw new UsageException("the export itself goes to standard output, so no JSON can");
      }
      if (stdio().outTerminal()) {
        throw new UsageException("a snapshot is nothing for a terminal; give a file, or a pipe");
      }
      export(new CheckedOutput(stdio().out()));
      return ExitCode.OK;
    }
    try (AsideFile target = new AsideFile(Path.of(file), force)) {
      try (OutputStream out = target.open()) {
        export(out);
      }
      target.complete();
      if (json()) {
        stdio().json(new Export(snapshot, file, Files.size(Path.of(file))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ExitCode.OK;
  }

  private void export(OutputStream to) {
    try (TransferProgress progress =
        new TransferProgress(stdio(), "exporting " + snapshot, System::nanoTime)) {
      atoll().snapshots().exportTo(snapshot, progress.count(to));
    }
  }
}
