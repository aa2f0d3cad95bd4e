package dev.atoll.engine.net;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the registries that one package manager uses: from its configuration, and where that names
 * none, from the manager's own files, which hold what it does by default. No registry is written
 * down here.
 */
interface ManagerConfiguration {

  List<Found> find(SearchRoot root);

  /**
   * A registry that was found.
   *
   * @param configured whether somebody configured it, rather than the manager brought it along
   */
  record Found(URI uri, String source, boolean configured) {}

  /** The first group of each match that is an address on the web. */
  static List<Found> matches(Pattern pattern, String text, String source, boolean configured) {
    List<Found> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      URI uri = uri(matcher.group(1));
      if (uri != null) {
        found.add(new Found(uri, source, configured));
      }
    }
    return found;
  }

  /** The address of a registry without the credentials that somebody wrote into it. */
  static URI withoutUser(Found found) {
    return found.uri().getRawUserInfo() == null
        ? found.uri()
        : URI.create(found.uri().toString().replaceFirst("//[^/@]*@", "//"));
  }

  /** Reads an address on the web, without what cargo and Go write in front of it. */
  static @Nullable URI uri(String text) {
    String plain = text.strip().replaceFirst("^(sparse\\+|registry\\+)", "");
    if (!plain.matches("https?://[^\\s\"'<>]+") || plain.contains("${")) {
      return null;
    }
    try {
      URI uri = URI.create(plain);
      return uri.getHost() == null ? null : uri;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
