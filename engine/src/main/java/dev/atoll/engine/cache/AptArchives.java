package dev.atoll.engine.cache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Debian packages. apt has the cache for its proxy and asks it for whole addresses:
 *
 * <pre>
 * ARCHIVE/dists/SUITE/InRelease                what the suite has, signed; apt checks that
 * ARCHIVE/dists/SUITE/…/by-hash/SHA256/DIGEST  a list of packages, as the former promises it
 * ARCHIVE/dists/SUITE/…/Packages.xz            the same by its name
 * ARCHIVE/….deb                                a package, as a list promises it
 * </pre>
 *
 * Anything else of an archive is passed on and not kept.
 */
final class AptArchives {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._+~:@/-]+");
  private static final Pattern BY_HASH =
      Pattern.compile("dists/.+/by-hash/(SHA256|SHA512)/([0-9a-f]{64,128})");
  private static final Pattern RELEASE =
      Pattern.compile("dists/.+/(InRelease|Release|Release\\.gpg)");

  /** A line of the part of a release that has the digests: digest, size, path. */
  private static final Pattern DIGEST = Pattern.compile(" ([0-9a-f]{64})\\s+(\\d+)\\s+(\\S+)");

  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;
  private final AptLists lists;

  AptArchives(Upstreams upstreams, Pages pages, PackageFiles files, AptLists lists) {
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
    this.lists = lists;
  }

  /** A file of an archive. */
  private record Wanted(URI archive, URI address, String path) {}

  /**
   * Answers a request.
   *
   * @param authority the host of the archive, with its port if there is one
   * @param path from its first slash
   */
  Answer answer(String authority, String path) throws IOException {
    Wanted wanted = find(authority.toLowerCase(Locale.ROOT), path);
    if (wanted == null) {
      return Answer.text(
          403,
          "the server's package cache does not serve http://"
              + authority
              + path
              + "; packages.apt names archives");
    }
    Matcher hash = BY_HASH.matcher(wanted.path());
    if (hash.matches()) {
      return list(
          wanted, Promise.ofKey(hash.group(1).toLowerCase(Locale.ROOT) + "-" + hash.group(2)));
    }
    if (RELEASE.matcher(wanted.path()).matches()) {
      Page page = pages.get(release(wanted.address()));
      return page == null ? Answer.missing(wanted.path()) : page.answer();
    }
    if (wanted.path().startsWith("dists/")) {
      Page.NamedFile named = promised(wanted);
      return named == null
          ? Answer.missing(wanted.path() + " in the release")
          : list(wanted, Promise.ofKey(named.digest()));
    }
    Promise promise = lists.find(wanted.archive(), wanted.path());
    return Answer.of("application/octet-stream", files.open(promise, wanted.address()));
  }

  private @Nullable Wanted find(String authority, String path) {
    if (!PLAIN.matcher(path).matches() || path.contains("/..")) {
      return null;
    }
    for (URI archive : upstreams.apt()) {
      String base = String.valueOf(archive.getRawPath()).replaceFirst("/+$", "") + "/";
      if (authority.equals(archive.getRawAuthority()) && path.startsWith(base)) {
        String inside = path.substring(base.length()).replace("./", "").replaceFirst("^/+", "");
        return new Wanted(archive, archive.resolve(base + inside), inside);
      }
    }
    return null;
  }

  private Answer list(Wanted wanted, @Nullable Promise promise) throws IOException {
    if (promise != null && wanted.path().contains("/binary-")) {
      lists.learn(wanted.archive(), promise, () -> files.open(promise, wanted.address()));
    }
    return Answer.of("application/octet-stream", files.open(promise, wanted.address()));
  }

  /** What the release says that a list is: that of the suite, or one below it. */
  private Page.@Nullable NamedFile promised(Wanted wanted) throws IOException {
    List<String> parts = List.of(wanted.path().split("/", -1));
    for (int depth = 2; depth < Math.min(4, parts.size()); depth++) {
      String suite = String.join("/", parts.subList(0, depth)) + "/";
      String inside = wanted.path().substring(suite.length());
      String base = wanted.address().toString();
      base = base.substring(0, base.length() - inside.length());
      for (String name : List.of("InRelease", "Release")) {
        Page page = pages.known(release(URI.create(base + name)));
        if (page != null) {
          return page.find(inside);
        }
      }
    }
    return null;
  }

  private static Pages.Wanted release(URI address) {
    return new Pages.Wanted(address, "*/*", AptArchives::copy);
  }

  /** Copies a release as it is, and takes down the digests that it promises. */
  private static String copy(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(from.body(), StandardCharsets.ISO_8859_1));
    StringBuilder line = new StringBuilder();
    for (int c = lines.read(); c >= 0; c = lines.read()) {
      to.write(c);
      if (c != '\n') {
        line.append((char) c);
        continue;
      }
      Matcher digest = DIGEST.matcher(line);
      if (digest.matches()) {
        list.add(new Page.NamedFile(digest.group(3), "", "sha256-" + digest.group(1), null));
      }
      line.setLength(0);
    }
    return "application/octet-stream";
  }
}
