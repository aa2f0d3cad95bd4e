package dev.atoll.cli;

import dev.atoll.model.FileUrl;
import dev.atoll.sdk.SandboxFiles;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a URL by which somebody without a key reads or writes a file. */
@Command(
    name = "url",
    description = {
      "Print a URL by which others read a file of a sandbox, or write it, without a key.",
      "curl -O URL reads; curl -T FILE URL writes."
    })
final class FilesUrlCommand extends ListingCommand {
  @Parameters(
      index = "0",
      paramLabel = "SANDBOX:PATH",
      description = "The file; a relative path starts at the home in the sandbox.")
  String file = "";

  @Option(names = "--upload", description = "Let them write it instead.")
  boolean upload;

  @Option(
      names = "--max-bytes",
      paramLabel = "N",
      description = "With --upload: how large it may be; no limit of its own by default.")
  @Nullable Long maxBytes;

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long the URL is good for; an hour by default, a week at most.")
  Duration ttl = Duration.ofHours(1);

  @Override
  public Integer call() {
    if (!(Place.of(file) instanceof Place.Remote place)) {
      throw new UsageException("'" + file + "' is no file of a sandbox such as lab:data/out.csv");
    }
    if (maxBytes != null && !upload) {
      throw new UsageException("--max-bytes is for what others write", "add --upload");
    }
    FileUrl url = url(atoll().sandboxes().handle(place.sandbox()).files(), place.path());
    if (json()) {
      stdio().json(url);
    } else {
      stdio().out().println(url.url());
    }
    return ExitCode.OK;
  }

  private FileUrl url(SandboxFiles files, String path) {
    if (!upload) {
      return files.downloadUrl(path, ttl);
    }
    return maxBytes == null ? files.uploadUrl(path, ttl) : files.uploadUrl(path, ttl, maxBytes);
  }
}
