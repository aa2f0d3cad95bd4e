package dev.atoll.kernel.maven;

import dev.atoll.kernel.DependencyException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;

/**
 * A library as {@code //DEPS} names it: {@code group:artifact[:version[:classifier]][@type]}.
 *
 * @param version empty when a list of versions has it
 */
record Coordinate(String group, String name, String version, String classifier, String type) {
  private static final String LIST = "pom";
  private static final String PART = "[A-Za-z0-9_.-]+";
  private static final Pattern FORM =
      Pattern.compile(
          "(%1$s):(%1$s)(?::([^:@\\s]+))?(?::(%1$s))?(?:@(%1$s))?".formatted(PART));

  static Coordinate of(String text) throws DependencyException {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new DependencyException(
          "invalid_argument",
          text + " is no library; write //DEPS group:artifact:version, as in //DEPS com.google.code.gson:gson:2.11.0");
    }
    return new Coordinate(
        matcher.group(1),
        matcher.group(2),
        orElse(matcher.group(3), ""),
        orElse(matcher.group(4), ""),
        orElse(matcher.group(5), "jar"));
  }

  private static String orElse(String value, String other) {
    return value == null ? other : value;
  }

  /** Whether it is a list of versions of others. */
  boolean isList() {
    return type.equals(LIST);
  }

  String key() {
    return group + ":" + name;
  }

  Artifact artifact(String itsVersion) {
    return new DefaultArtifact(group, name, classifier, type, itsVersion);
  }
}
