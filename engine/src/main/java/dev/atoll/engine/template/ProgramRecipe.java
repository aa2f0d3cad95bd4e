package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Language;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a program of one language is made and run: an entry of a recipe's {@code languages:}.
 *
 * @param file the name under which the code is stored
 * @param compile the command line that makes the program, in the folder of the file; null if there
 *     is nothing to make
 * @param run the command line that runs it; arguments are added at its end
 * @param version what {@code run} is, for people
 * @param env variables of both command lines
 */
public record ProgramRecipe(
    String file,
    @Nullable String compile,
    String run,
    @Nullable String version,
    Map<String, String> env) {
  private static final int MAX_LINE = 4096;

  public ProgramRecipe {
    check(
        file != null && file.matches("[a-zA-Z0-9_][a-zA-Z0-9._-]{0,99}"),
        "languages: file must be a plain file name, not " + file);
    check(compile == null || isLine(compile), "languages: compile must be one command line");
    check(isLine(run), "languages: run must be one command line");
    check(version == null || version.length() <= 100, "languages: version is too long");
    env = env == null ? Map.of() : Map.copyOf(env);
    env.keySet()
        .forEach(
            name ->
                check(
                    name.matches("[a-zA-Z_][a-zA-Z0-9_]*"),
                    "languages: env has a bad name " + name));
  }

  /** Checks the table of a recipe. */
  static Map<String, ProgramRecipe> table(@Nullable Map<String, ProgramRecipe> languages) {
    if (languages == null) {
      return Map.of();
    }
    languages.forEach(
        (name, program) -> {
          check(
              name.matches("[a-z][a-z0-9+#-]{0,31}") && Language.of(name).name().equals(name),
              "languages: " + name + " must be the one name of a language, not an alias");
          check(program != null, "languages: " + name + " needs file and run");
        });
    return Collections.unmodifiableMap(new TreeMap<>(languages));
  }

  private static boolean isLine(@Nullable String line) {
    return line != null
        && !line.isBlank()
        && line.length() <= MAX_LINE
        && line.chars().noneMatch(c -> c < ' ');
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, message);
    }
  }
}
