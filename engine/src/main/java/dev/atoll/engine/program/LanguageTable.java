package dev.atoll.engine.program;

import dev.atoll.engine.Templates;
import dev.atoll.engine.template.ProgramRecipe;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the template that runs programs of a language. */
final class LanguageTable {
  private final Templates templates;
  private final String defaultTemplate;

  /** A template, and how it makes and runs programs of the language that was asked for. */
  record Choice(String template, ProgramRecipe recipe) {}

  LanguageTable(Templates templates, String defaultTemplate) {
    this.templates = templates;
    this.defaultTemplate = defaultTemplate;
  }

  /**
   * The given template; or else the default one if it has the language, the one of the language's
   * own name, or the one that installs the least, in this order.
   */
  Choice choose(String project, String language, @Nullable String template) {
    if (template != null) {
      return new Choice(template, pick(template, language, templates.languages(project, template)));
    }
    List<String> names = templates.names(project);
    return names.stream()
        .filter(name -> table(project, name).containsKey(language))
        .min(
            Comparator.comparing((String name) -> !name.equals(defaultTemplate))
                .thenComparing(name -> !name.equals(language))
                .thenComparingInt(name -> templates.parts(project, name)))
        .map(name -> new Choice(name, pick(name, language, table(project, name))))
        .orElseThrow(() -> unsupported(language, "no template has", known(project, names)));
  }

  /** How the template of a sandbox does it. */
  ProgramRecipe in(SandboxInfo sandbox, String language) {
    return pick(sandbox.template(), language, templates.languages(sandbox));
  }

  private static ProgramRecipe pick(
      String template, String language, Map<String, ProgramRecipe> table) {
    ProgramRecipe recipe = table.get(language);
    if (recipe == null) {
      throw unsupported(language, "template " + template + " does not have", table.keySet());
    }
    return recipe;
  }

  /** A recipe that cannot be read is not in the way of the others. */
  private Map<String, ProgramRecipe> table(String project, String template) {
    try {
      return templates.languages(project, template);
    } catch (AtollException e) {
      return Map.of();
    }
  }

  private Set<String> known(String project, List<String> names) {
    Set<String> known = new TreeSet<>();
    names.forEach(template -> known.addAll(table(project, template).keySet()));
    return known;
  }

  private static AtollException unsupported(String language, String who, Set<String> known) {
    return new AtollException(
        ErrorCode.UNSUPPORTED_LANGUAGE,
        who + " the language " + language + " in its table of languages",
        known.isEmpty() ? "add it to `languages:` of a recipe" : "one of " + new TreeSet<>(known));
  }
}
