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

  private static final Language CPP = new Language("cpp");
  private static final Language GO = new Language("go");
  private static final Language RUBY = new Language("ruby");

  private static final Map<String, Language> ALIASES =
      Map.ofEntries(
          Map.entry("py", PYTHON),
          Map.entry("python3", PYTHON),
          Map.entry("js", JAVASCRIPT),
          Map.entry("node", JAVASCRIPT),
          Map.entry("ts", TYPESCRIPT),
          Map.entry("sh", BASH),
          Map.entry("shell", BASH),
          Map.entry("jshell", JAVA),
          Map.entry("c++", CPP),
          Map.entry("golang", GO),
          Map.entry("rb", RUBY));

  private static final Map<String, Language> EXTENSIONS =
      Map.ofEntries(
          Map.entry("py", PYTHON),
          Map.entry("js", JAVASCRIPT),
          Map.entry("mjs", JAVASCRIPT),
          Map.entry("cjs", JAVASCRIPT),
          Map.entry("ts", TYPESCRIPT),
          Map.entry("mts", TYPESCRIPT),
          Map.entry("sh", BASH),
          Map.entry("bash", BASH),
          Map.entry("java", JAVA),
          Map.entry("jsh", JAVA),
          Map.entry("c", new Language("c")),
          Map.entry("cc", CPP),
          Map.entry("cpp", CPP),
          Map.entry("cxx", CPP),
          Map.entry("go", GO),
          Map.entry("rb", RUBY),
          Map.entry("rs", new Language("rust")));

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
