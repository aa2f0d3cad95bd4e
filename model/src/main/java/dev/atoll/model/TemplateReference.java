package dev.atoll.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What names a template: {@code name}, {@code name:tag}, {@code name@version}, each with {@code
 * owner/} before it when it belongs to another project.
 *
 * @param owner null for one of the caller's own, or one that comes with the server; what another
 *     project shares is found by its owner's name alone
 * @param tag null when a version is named, or neither
 */
public record TemplateReference(
    @Nullable String owner, String name, @Nullable String tag, @Nullable Integer version) {
  /** What a template may be called. */
  public static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

  /** What a tag may be called. */
  public static final String TAG = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}";

  private static final Pattern FORM =
      Pattern.compile(
          "(?:(?<owner>[a-zA-Z0-9][a-zA-Z0-9._-]{0,62})/)?(?<name>"
              + NAME
              + ")(?::(?<tag>"
              + TAG
              + ")|@(?<version>[1-9][0-9]{0,8}))?");

  /** Reads it; anything else is refused. */
  @JsonCreator
  public static TemplateReference parse(String text) {
    Matcher form = FORM.matcher(text);
    Check.that(
        form.matches(),
        "template",
        "must be name, name:tag or name@version, with owner/ before it");
    String version = form.group("version");
    return new TemplateReference(
        form.group("owner"),
        form.group("name"),
        form.group("tag"),
        version == null ? null : Integer.valueOf(version));
  }

  @JsonValue
  @Override
  public String toString() {
    return (owner == null ? "" : owner + "/")
        + name
        + (tag == null ? "" : ":" + tag)
        + (version == null ? "" : "@" + version);
  }
}
