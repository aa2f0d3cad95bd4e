package dev.atoll.engine.oci;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where an image is: {@code registry.example.com:5000/team/image:tag@sha256:…}. Without a registry
 * it is one of Docker Hub, and without a tag and a digest it is {@code latest}.
 *
 * @param registry a host, with its port unless it is the usual one
 * @param digest a pin; null when the tag decides
 */
record ImageReference(String registry, String repository, String tag, @Nullable Digest digest) {
  private static final String HUB = "docker.io";
  private static final Pattern HOST =
      Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?");
  private static final Pattern REPOSITORY =
      Pattern.compile(
          "[a-z0-9]++([._-]{1,16}+[a-z0-9]++)*+(/[a-z0-9]++([._-]{1,16}+[a-z0-9]++)*+)*+");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
  private static final int MOST_REPOSITORY = 255;

  /** Reads a reference; {@link IllegalArgumentException} when it is none. */
  static ImageReference parse(String text) {
    int at = text.indexOf('@');
    Digest digest = at < 0 ? null : pin(text.substring(at + 1));
    String rest = at < 0 ? text : text.substring(0, at);
    int slash = rest.indexOf('/');
    String first = slash < 0 ? "" : rest.substring(0, slash);
    boolean named = first.matches(".*[.:].*") || first.equals("localhost");
    String registry = named ? first.toLowerCase(Locale.ROOT) : HUB;
    String path = named ? rest.substring(slash + 1) : rest;
    int colon = path.lastIndexOf(':');
    String tag = colon < 0 ? "latest" : path.substring(colon + 1);
    String repository = colon < 0 ? path : path.substring(0, colon);
    if (registry.equals(HUB) && repository.indexOf('/') < 0) {
      repository = "library/" + repository;
    }
    if (!HOST.matcher(registry).matches()
        || repository.length() > MOST_REPOSITORY
        || !REPOSITORY.matcher(repository).matches()
        || !TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(ImageRefused.quoted(text));
    }
    return new ImageReference(registry, repository, tag, digest);
  }

  private static Digest pin(String text) {
    try {
      return Digest.parse(text);
    } catch (ImageRefused e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** The host that answers for the registry. */
  String apiHost() {
    return registry.equals(HUB) ? "registry-1.docker.io" : registry;
  }

  /** The host that gives out the registry's tokens if it is known to be another one. */
  String tokenHost() {
    return registry.equals(HUB) ? "auth.docker.io" : registry;
  }
}
