package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Go modules, as go asks a proxy for them:
 *
 * <pre>
 * MODULE/@v/list              the versions of a module
 * MODULE/@latest              the newest
 * MODULE/@v/VERSION.info      what a version, a branch or a commit is
 * MODULE/@v/VERSION.mod       its go.mod
 * MODULE/@v/VERSION.zip       its files
 * sumdb/NAME/…                the database of checksums
 * </pre>
 *
 * What the database promises of a module is checked and kept; what it has nothing of is passed on.
 */
final class GoModules {
  /** No part of it leads upwards. */
  static final Pattern MODULE =
      Pattern.compile("[a-z0-9!_~-][a-z0-9!._~-]*(?:/[a-z0-9!_~-][a-z0-9!._~-]*){0,40}");

  private static final Pattern FILE =
      Pattern.compile("([A-Za-z0-9!_~-][A-Za-z0-9!._~+-]*)\\.(info|mod|zip)");

  /** A version that stays what it is, unlike a branch. */
  private static final Pattern FIXED =
      Pattern.compile("v\\d+\\.\\d+\\.\\d+(?:-[A-Za-z0-9!.-]+)?(?:\\+incompatible)?");

  private static final long MAX_PAGE = 16L << 20;
  private static final String VERSIONS = "/@v/";
  private static final String LATEST = "/@latest";
  private static final String SUMS = "sumdb/";

  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;
  private final GoSumDatabase database;

  GoModules(Upstreams upstreams, Pages pages, PackageFiles files) {
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
    this.database = new GoSumDatabase(upstreams, pages);
  }

  /**
   * Answers a request.
   *
   * @param path what follows {@code /go/}
   */
  Answer answer(String path) throws IOException {
    if (path.startsWith(SUMS)) {
      return database.answer(path.substring(SUMS.length()));
    }
    int versions = path.indexOf(VERSIONS);
    String module =
        versions >= 0
            ? path.substring(0, versions)
            : path.endsWith(LATEST) ? path.substring(0, path.length() - LATEST.length()) : "";
    if (!MODULE.matcher(module).matches()) {
      return Answer.missing("such page");
    }
    String name = versions < 0 ? "" : path.substring(versions + VERSIONS.length());
    Matcher file = FILE.matcher(name);
    if (name.isEmpty() || name.equals("list")) {
      return page(path, false);
    }
    if (!file.matches()) {
      return Answer.missing("such page");
    }
    String version = file.group(1);
    boolean fixed = FIXED.matcher(version).matches();
    return file.group(2).equals("info")
        ? page(path, fixed)
        : content(path, fixed ? database.promise(module, version, file.group(2)) : null);
  }

  /** Of the first proxy that has it. */
  private Answer page(String path, boolean fixed) throws IOException {
    for (URI proxy : proxies()) {
      Pages.Wanted wanted = wanted(at(proxy, path));
      Page page = fixed ? pages.known(wanted) : pages.get(wanted);
      if (page != null) {
        return page.answer();
      }
    }
    return Answer.missing(path);
  }

  private Answer content(String path, @Nullable Promise promise) throws IOException {
    for (URI proxy : proxies()) {
      try {
        return Answer.of("application/octet-stream", files.open(promise, at(proxy, path)));
      } catch (MissingException e) {
        // Another may have it.
      }
    }
    return Answer.missing(path);
  }

  private List<URI> proxies() throws IOException {
    List<URI> proxies = upstreams.go();
    if (proxies.isEmpty()) {
      throw new IOException("the server knows no proxy of Go modules; set packages.go");
    }
    return proxies;
  }

  static URI at(URI base, String path) {
    String text = base.toString();
    return URI.create((text.endsWith("/") ? text : text + "/") + path);
  }

  /** A page that is given as it is. */
  static Pages.Wanted wanted(URI address) {
    return new Pages.Wanted(address, "*/*", GoModules::copy);
  }

  private static String copy(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    try (BoundedStream page =
        new BoundedStream(from.body(), MAX_PAGE, "a page of the registry", _ -> {})) {
      page.transferTo(to);
    }
    return "text/plain; charset=utf-8";
  }
}
