package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A programming language, by the one name that it has here. Which of them a sandbox knows is a
 * matter of its template.
 *
 * @param name lower-case letters, digits, {@code +}, {@code #} and {@code -}
 */
public record Language(String name) {
  public static final Language PYTHON = new Language("python");
  public static final Language JAVASCRIPT = new Language("javascript");
  public static final Language TYPESCRIPT = new Language("typescript");
  public static final Language BASH = new Language("bash");
  public static final Language JAVA = new Language("java");

  private static final Map<String, Language> ALIASES =
      Map.of(
          "py", PYTHON,
          "python3", PYTHON,
          "js", JAVASCRIPT,
          "node", JAVASCRIPT,
          "ts", TYPESCRIPT,
          "sh", BASH,
          "shell", BASH,
          "jshell", JAVA);

  private static final Map<String, Language> EXTENSIONS =
      Map.of(
          "py", PYTHON,
          "js", JAVASCRIPT,
          "mjs", JAVASCRIPT,
          "cjs", JAVASCRIPT,
          "ts", TYPESCRIPT,
          "mts", TYPESCRIPT,
          "sh", BASH,
          "bash", BASH,
          "java", JAVA,
          "jsh", JAVA);

  public Language {
    Check.that(
        name != null && name.matches("[a-z][a-z0-9+#-]{0,31}"),
        "language",
        "must be the name of a language, such as python, javascript, typescript, bash or java");
  }

  /** The language that people mean by a name such as {@code JS}, {@code py} or {@code bash}. */
  @JsonCreator
  public static Language of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    Language known = ALIASES.get(lower);
    return known == null ? new Language(lower) : known;
  }

  /** The language of a file, if the end of its name tells. */
  public static Optional<Language> ofFile(String fileName) {
    int dot = fileName.lastIndexOf('.');
    String extension = dot < 0 ? "" : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    return Optional.ofNullable(EXTENSIONS.get(extension));
  }

  @Override
  @JsonValue
  public String toString() {
    return name;
  }
}
