package dev.atoll.engine.program;

import dev.atoll.engine.Templates;
import dev.atoll.engine.template.ProgramRecipe;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
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
   * own name, or the first by name, in this order.
   */
  Choice choose(String language, @Nullable String template) {
    if (template != null) {
      return new Choice(template, in(template, language));
    }
    return templates.names().stream()
        .sorted(
            Comparator.comparing((String name) -> !name.equals(defaultTemplate))
                .thenComparing(name -> !name.equals(language)))
        .filter(name -> table(name).containsKey(language))
        .findFirst()
        .map(name -> new Choice(name, in(name, language)))
        .orElseThrow(() -> unsupported(language, "no template has", templates.names()));
  }

  /** How a certain template does it. */
  ProgramRecipe in(String template, String language) {
    ProgramRecipe recipe = templates.languages(template).get(language);
    if (recipe == null) {
      throw unsupported(language, "template " + template + " does not have", List.of(template));
    }
    return recipe;
  }

  /** A recipe that cannot be read is not in the way of the others. */
  private Map<String, ProgramRecipe> table(String template) {
    try {
      return templates.languages(template);
    } catch (AtollException e) {
      return Map.of();
    }
  }

  private AtollException unsupported(String language, String who, List<String> among) {
    Set<String> known = new TreeSet<>();
    among.forEach(template -> known.addAll(table(template).keySet()));
    return new AtollException(
        ErrorCode.UNSUPPORTED_LANGUAGE,
        who + " the language " + language + " in its table of languages",
        known.isEmpty() ? "add it to `languages:` of a recipe" : "one of " + known);
  }
}
