package dev.atoll.cli;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.Visible;
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

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description =
          "What it must become: memory, from a trusted server alone, or files. Default: memory if"
              + " it may be, else files.")
  @Nullable String kind;

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
      if (made.note() != null) {
        stdio().err().println(Visible.line(made.note()));
      }
    }
    return ExitCode.OK;
  }

  private SnapshotInfo imported(InputStream from) {
    try (TransferProgress progress =
        new TransferProgress(stdio(), "importing " + file, System::nanoTime)) {
      InputStream counted = progress.count(from);
      if (kind != null) {
        return atoll().snapshots().importFrom(counted, name, kind(kind));
      }
      return name == null
          ? atoll().snapshots().importFrom(counted)
          : atoll().snapshots().importFrom(counted, name);
    }
  }

  private static SnapshotKind kind(String text) {
    try {
      return SnapshotKind.of(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--kind is memory or files");
    }
  }
}
