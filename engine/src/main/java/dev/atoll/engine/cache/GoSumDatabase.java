package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The database of what Go modules hold, which the host's Go believes:
 *
 * <pre>
 * NAME/supported              whether it is here
 * NAME/latest                 how far it has come, signed
 * NAME/lookup/MODULE@VERSION  what a version holds
 * NAME/tile/…                 parts of the proof
 * </pre>
 *
 * Programs check what they get of it by themselves. It is asked through the host's proxy where that
 * passes it on, as go does.
 */
final class GoSumDatabase {
  private static final Pattern LOOKUP =
      Pattern.compile("lookup/(" + GoModules.MODULE + ")@([A-Za-z0-9!._~+-]+)");
  private static final Pattern TILE =
      Pattern.compile("tile/\\d{1,2}/\\d{1,2}/(?:x\\d{3}/){0,6}\\d{3}(?:\\.p/\\d{1,3})?");

  /** A line of a record: module, version, digest. */
  private static final Pattern LINE =
      Pattern.compile("(?m)^(\\S+) (\\S+?)(/go\\.mod)? (h1:[A-Za-z0-9+/=]{44})$");

  /** Far more than any record or tile has. */
  private static final int MAX_PAGE = 256 << 10;

  private final Upstreams upstreams;
  private final Pages pages;

  GoSumDatabase(Upstreams upstreams, Pages pages) {
    this.upstreams = upstreams;
    this.pages = pages;
  }

  /**
   * Answers a request.
   *
   * @param path what follows {@code sumdb/}
   */
  Answer answer(String path) throws IOException {
    GoSums sums = upstreams.goSums();
    int slash = path.indexOf('/');
    String name = slash < 0 ? path : path.substring(0, slash);
    if (sums == null || !name.equals(sums.name())) {
      return Answer.missing("database of checksums " + name + " here");
    }
    String what = path.substring(slash + 1);
    if (what.equals("supported")) {
      return Answer.of("text/plain", Body.of(new byte[0]));
    }
    Matcher lookup = LOOKUP.matcher(what);
    if (lookup.matches() && sums.mayBeAsked(unescaped(lookup.group(1)))) {
      return of(pages.known(record(sums, what)), what);
    }
    if (TILE.matcher(what).matches()) {
      return of(pages.known(new Pages.Wanted(address(sums, what), "*/*", this::copy)), what);
    }
    return what.equals("latest")
        ? of(pages.get(new Pages.Wanted(address(sums, what), "*/*", this::copy)), what)
        : Answer.missing("such page");
  }

  private static Answer of(@Nullable Page page, String what) throws IOException {
    return page == null ? Answer.missing(what + " in the database of checksums") : page.answer();
  }

  /**
   * What it promises of a version's file; null when it has nothing of it, or may not be asked.
   *
   * @param ending of the file's name
   */
  @Nullable Promise promise(String module, String version, String ending) {
    GoSums sums = upstreams.goSums();
    if (sums == null || !sums.mayBeAsked(unescaped(module))) {
      return null;
    }
    try {
      Page page = pages.known(record(sums, "lookup/" + module + "@" + version));
      Page.NamedFile named =
          page == null ? null : page.find(unescaped(module + "@" + version) + "." + ending);
      return named == null ? null : Promise.ofKey(named.digest());
    } catch (IOException e) {
      // Without it the file is passed on: go asks for itself whether it is right.
      return null;
    }
  }

  private Pages.Wanted record(GoSums sums, String what) throws IOException {
    return new Pages.Wanted(address(sums, what), "*/*", this::translate);
  }

  /** By the first proxy that passes it on, else where it is itself. */
  private URI address(GoSums sums, String what) throws IOException {
    List<URI> proxies = upstreams.go();
    String here = "sumdb/" + sums.name() + "/";
    for (URI proxy : proxies) {
      if (pages.known(GoModules.wanted(GoModules.at(proxy, here + "supported"))) != null) {
        return GoModules.at(proxy, here + what);
      }
    }
    return GoModules.at(sums.address(), what);
  }

  /** Upper-case letters are written small with a mark, for file systems that do not tell them. */
  private static String unescaped(String path) {
    return Pattern.compile("!([a-z])").matcher(path).replaceAll(m -> upper(m.group(1)));
  }

  private static String upper(String letter) {
    return letter.toUpperCase(java.util.Locale.ROOT);
  }

  private String copy(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    to.write(whole(from));
    return "application/octet-stream";
  }

  private String translate(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    byte[] whole = whole(from);
    String text = new String(whole, StandardCharsets.UTF_8);
    // What follows is the signed state of the database.
    int end = text.indexOf("\n\n");
    Matcher line = LINE.matcher(end < 0 ? "" : text.substring(0, end));
    while (line.find()) {
      boolean mod = line.group(3) != null;
      Promise promise = mod ? Promise.goMod(line.group(4)) : Promise.goZip(line.group(4));
      if (promise != null) {
        String name = line.group(1) + "@" + line.group(2) + (mod ? ".mod" : ".zip");
        list.add(new Page.NamedFile(name, "", promise.key(), null));
      }
    }
    to.write(whole);
    return "text/plain; charset=utf-8";
  }

  private static byte[] whole(Fetcher.Fetched from) throws IOException {
    byte[] bytes = from.body().readNBytes(MAX_PAGE + 1);
    if (bytes.length > MAX_PAGE) {
      throw new IOException("a page of the database of checksums is larger than " + MAX_PAGE);
    }
    return bytes;
  }
}
