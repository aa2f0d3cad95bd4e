package dev.atoll.cli;

import dev.atoll.model.TemplateInfo;
import dev.atoll.model.TemplateReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets a tag point to a version. */
@Command(name = "tag", description = "Let a tag point to a version of a template.")
final class TemplateTagCommand extends ListingCommand {
  @Parameters(
      index = "0",
      paramLabel = "NAME[@VERSION]",
      description = "The template; its newest version when none is named.")
  String source = "";

  @Parameters(index = "1", paramLabel = "TAG", description = "The tag.")
  String tag = "";

  @Option(names = "--remove", description = "Remove the tag; the version stays.")
  boolean remove;

  @Override
  public Integer call() {
    TemplateReference asked = TemplateReference.parse(source);
    if (remove) {
      atoll().templates().untag(asked.name(), tag);
      return ExitCode.OK;
    }
    Integer version = atoll().templates().get(source).version();
    if (version == null) {
      throw new UsageException(asked.name() + " comes with the server and has no versions");
    }
    TemplateInfo tagged = atoll().templates().tag(asked.name(), tag, version);
    if (json()) {
      stdio().json(tagged);
    }
    return ExitCode.OK;
  }
}
