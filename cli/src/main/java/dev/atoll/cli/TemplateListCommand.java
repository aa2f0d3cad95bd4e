package dev.atoll.cli;

import picocli.CommandLine.Command;

/** Lists the templates, as {@link TemplatesCommand} does. */
@Command(name = "ls", description = "List the templates.")
final class TemplateListCommand extends TemplatesCommand {}
