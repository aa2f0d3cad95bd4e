package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A language context to open: a kernel with variables of its own.
 *
 * @param language name or alias as in {@link Language}; by default that of the sandbox
 */
public record ContextSpec(String name, @Nullable String language, @Nullable String cwd) {
  private static final String NAME = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}";

  public ContextSpec {
    checkName(name);
    language = language == null ? null : Language.of(language).name();
    if (cwd != null) {
      Check.path("cwd", cwd);
    }
  }

  static void checkName(@Nullable String name) {
    Check.that(name != null && name.matches(NAME), "context", "must match " + NAME);
  }
}
