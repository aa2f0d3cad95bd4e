package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds a template. */
@Command(
    name = "build",
    description = {
      "Build a template: from a recipe, or one that comes with the server.",
      "A recipe becomes a new version of the template that it names. Ctrl-C cancels its build."
    })
final class TemplateBuildCommand extends ListingCommand {
  @Parameters(
      index = "0",
      paramLabel = "FILE|NAME",
      description = "A recipe (a file, or - for standard input), or the name of a template.")
  String source = "";

  @Option(
      names = {"-q", "--quiet"},
      description = "Show the steps, not what they print.")
  boolean quiet;

  @Override
  public Integer call() throws IOException {
    TemplateInfo built =
        isRecipe()
            ? atoll().templates().create(recipe(), new BuildPrinter(stdio(), quiet)::print)
            : atoll().templates().build(source, stdio()::message);
    if (json()) {
      stdio().json(built);
    } else if (built.version() != null) {
      stdio().out().println(built.name() + "@" + built.version());
    }
    return ExitCode.OK;
  }

  private boolean isRecipe() {
    return source.equals("-")
        || source.endsWith(".yaml")
        || source.endsWith(".yml")
        || source.endsWith(".json")
        || (source.contains("/") && Files.isRegularFile(Path.of(source)));
  }

  private String recipe() throws IOException {
    if (source.equals("-")) {
      return new String(stdio().in().readAllBytes(), StandardCharsets.UTF_8);
    }
    Path file = Path.of(source);
    if (!Files.isRegularFile(file)) {
      throw new UsageException("there is no file " + source);
    }
    return Files.readString(file);
  }
}
