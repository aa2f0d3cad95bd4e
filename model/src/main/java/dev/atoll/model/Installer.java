package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/** A package manager that installs into a sandbox, and how it writes a package with its version. */
public enum Installer {
  /** Python: {@code pandas}, {@code pandas==2.2.3}, {@code uvicorn[standard]>=0.30,<1}. */
  PIP(
      "pandas, pandas==2.2.3",
      "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\\[[A-Za-z0-9._-]+(?:, ?[A-Za-z0-9._-]+)*\\])?"
          + "(?: ?(?:===|==|~=|!=|<=|>=|<|>) ?[A-Za-z0-9.*+!_-]+"
          + "(?:, ?(?:===|==|~=|!=|<=|>=|<|>) ?[A-Za-z0-9.*+!_-]+)*)?"),
  /** Node: {@code lodash}, {@code lodash@4.17.21}, {@code @types/node@^22}. */
  NPM(
      "lodash, lodash@4.17.21",
      "(?:@[a-z0-9_~][a-z0-9._~-]*/)?[A-Za-z0-9_~][A-Za-z0-9._~-]*(?:@[A-Za-z0-9.*+^~<>=| -]+)?"),
  /** Debian: {@code jq}, {@code jq=1.7.1-6}; needs a template that allows root. */
  APT(
      "jq, jq=1.7.1-6",
      "[a-z0-9][a-z0-9+.-]*[a-z0-9+](?::[a-z0-9-]+)?(?:=[A-Za-z0-9][A-Za-z0-9.+:~-]*)?"),
  /** Ruby: {@code rake}, {@code rake:13.2.1}. */
  GEM(
      "rake, rake:13.2.1",
      "[A-Za-z0-9_][A-Za-z0-9._-]*(?::(?:~>|>=|<=|=|>|<)? ?[0-9][A-Za-z0-9.]*)?"),
  /** Rust programs: {@code ripgrep}, {@code ripgrep@14.1.1}. */
  CARGO("ripgrep, ripgrep@14.1.1", "[A-Za-z][A-Za-z0-9_-]*(?:@[=^~]?[0-9][A-Za-z0-9.+-]*)?");

  private final String examples;
  private final Pattern syntax;

  Installer(String examples, String syntax) {
    this.examples = examples;
    this.syntax = Pattern.compile(syntax);
  }

  /** The value of that wire name. */
  @JsonCreator
  public static Installer of(String wire) {
    for (Installer installer : values()) {
      if (installer.wire().equals(wire)) {
        return installer;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "there is no package manager " + wire,
        "use one of " + Arrays.stream(values()).map(Installer::wire).toList());
  }

  /** The lower-case name on the wire. */
  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether this names a package of a registry, with or without a version. Options, paths and
   * addresses do not, so nothing that passes can be read as anything else by the manager.
   */
  public boolean accepts(String text) {
    return syntax.matcher(text).matches();
  }

  /** How its packages are written, for messages. */
  public String examples() {
    return examples;
  }
}
