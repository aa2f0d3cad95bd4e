package dev.atoll.cli;

import dev.atoll.model.QuotaInfo;
import dev.atoll.model.QuotaLimits;
import dev.atoll.sdk.Projects;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says how much a project may have. */
@Command(
    name = "set",
    description = {
      "Say how much a project may have; what is not given stays.",
      "Each takes a number, unlimited, or default for what the server's settings say. What the project has"
          + " already stays, whatever the limit: it only refuses what is new."
    })
final class QuotaSetCommand extends ListingCommand {
  private static final String STANDARD = "default";

  @Parameters(index = "0", paramLabel = "PROJECT", description = "The project.")
  String project = "";

  @Option(
      names = "--sandboxes",
      paramLabel = "N",
      description = "Sandboxes that have not ended, hibernated ones too.")
  @Nullable String sandboxes;

  @Option(
      names = "--memory",
      paramLabel = "MIB",
      description = "Memory of all machines that run, in MiB, or with g: 16g.")
  @Nullable String memory;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs of all machines that run.")
  @Nullable String cpus;

  @Option(
      names = "--disk",
      paramLabel = "MIB",
      description =
          "Disk of sandboxes, snapshots, templates and imported root file systems, in MiB, or with g: 100g.")
  @Nullable String disk;

  @Option(names = "--pools", paramLabel = "N", description = "Warm pools.")
  @Nullable String pools;

  @Option(
      names = "--warm",
      paramLabel = "N",
      description = "Sandboxes that all warm pools together keep ready.")
  @Nullable String warm;

  @Option(names = "--services", paramLabel = "N", description = "Services.")
  @Nullable String services;

  @Option(
      names = "--requests-per-second",
      paramLabel = "N",
      description = "Requests to the API; administrators are not held back.")
  @Nullable String requests;

  @Override
  public Integer call() {
    if (Stream.of(sandboxes, memory, cpus, disk, pools, warm, services, requests)
        .allMatch(Objects::isNull)) {
      throw new UsageException("nothing to set; see atoll quota set --help");
    }
    Projects projects = atoll().projects();
    QuotaInfo info = projects.setQuota(project, changed(projects.quota(project).own()));
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }

  private QuotaLimits changed(QuotaLimits old) {
    return new QuotaLimits(
        limit("--sandboxes", sandboxes, old.sandboxes(), Integer::valueOf),
        limit("--memory", memory, old.memoryMiB(), QuotaSetCommand::mebibytes),
        limit("--cpus", cpus, old.cpus(), Double::valueOf),
        limit("--disk", disk, old.diskMiB(), QuotaSetCommand::mebibytes),
        limit("--pools", pools, old.pools(), Integer::valueOf),
        limit("--warm", warm, old.warm(), Integer::valueOf),
        limit("--services", services, old.services(), Integer::valueOf),
        limit("--requests-per-second", requests, old.requestsPerSecond(), Double::valueOf));
  }

  private static <T> @Nullable T limit(
      String option, @Nullable String text, @Nullable T old, Function<String, T> parse) {
    if (text == null || text.equals(STANDARD)) {
      return text == null ? old : null;
    }
    try {
      return parse.apply(text.equals("unlimited") ? Integer.toString(QuotaLimits.UNLIMITED) : text);
    } catch (NumberFormatException e) {
      throw new UsageException(
          "%s is a number, unlimited or default; not %s".formatted(option, text));
    }
  }

  private static Long mebibytes(String text) {
    return text.endsWith("g")
        ? Long.parseLong(text.substring(0, text.length() - 1)) << 10
        : Long.parseLong(text);
  }
}
