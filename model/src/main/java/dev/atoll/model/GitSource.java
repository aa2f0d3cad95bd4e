package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A repository that a service's program is in. It is cloned inside the sandbox, so that the
 * service's network policy must let it be reached.
 *
 * @param url as {@code git clone} takes it; no credentials, which belong into a secret
 * @param ref a branch or a tag; the repository's own choice when left out
 */
public record GitSource(String url, @Nullable String ref) {
  private static final String URL = "(https?|git|file)://[!-~]{1,2000}";

  public GitSource {
    Check.that(
        url != null && url.matches(URL),
        "git.url",
        "must be an address that begins with https://, http://, git:// or file://");
    Check.that(
        !url.matches("[a-z]+://[^/]*:[^/]*@.*"),
        "git.url",
        "must not hold a password; make it a secret for the repository's host");
    if (ref != null) {
      Check.that(
          ref.matches("[A-Za-z0-9_][A-Za-z0-9._/-]{0,254}") && !ref.contains(".."),
          "git.ref",
          "is no name of a branch or tag: " + ref);
    }
  }
}
