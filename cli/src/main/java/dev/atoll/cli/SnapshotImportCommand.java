package dev.atoll.cli;

import dev.atoll.model.SnapshotInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a snapshot of an exported file. */
@Command(name = "import", description = "Make a snapshot of an exported file and print its id.")
final class SnapshotImportCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "The file; - for standard input.")
  String file = "";

  @Option(names = "--name", paramLabel = "NAME", description = "A name for the snapshot.")
  @Nullable String name;

  @Override
  public Integer call() {
    SnapshotInfo made;
    if (file.equals("-")) {
      made = imported(stdio().in());
    } else {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        made = imported(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    if (json()) {
      stdio().json(made);
    } else {
      stdio().out().println(made.id());
    }
    return ExitCode.OK;
  }

  private SnapshotInfo imported(InputStream from) {
    try (TransferProgress progress =
        new TransferProgress(stdio(), "importing " + file, System::nanoTime)) {
      InputStream counted = progress.count(from);
      return name == null
          ? atoll().snapshots().importFrom(counted)
          : atoll().snapshots().importFrom(counted, name);
    }
  }
}
