package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ObjectNode;

/**
 * Node packages, as npm asks for them:
 *
 * <pre>
 * NAME, @SCOPE/NAME        the versions of a package, as JSON
 * NAME/-/FILE              the archive of one
 * -/…                      questions, which are passed on
 * </pre>
 */
final class NpmRegistry {
  /** What npm itself asks for when it installs: much shorter than the whole. */
  private static final String SHORT = "application/vnd.npm.install-v1+json";

  private static final String WHOLE = "application/json";
  private static final Pattern NAME =
      Pattern.compile("(?:@[a-z0-9_~-][a-z0-9._~-]*/)?[A-Za-z0-9_~-][A-Za-z0-9._~-]*");
  private static final Pattern FILE = Pattern.compile("[A-Za-z0-9_~-][A-Za-z0-9._+~-]*");

  private final String base;
  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;
  private final NpmQuestions questions;

  /**
   * @param base the address of this registry as guests have it, with a slash at its end
   */
  NpmRegistry(
      String base, Upstreams upstreams, Pages pages, PackageFiles files, NpmQuestions questions) {
    this.base = base;
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
    this.questions = questions;
  }

  /**
   * Answers a request.
   *
   * @param path what follows {@code /npm/}
   * @param request for the form that npm asks for
   */
  Answer answer(String path, CacheRequest request) throws IOException {
    if (NpmQuestions.is(path)) {
      return questions.answer(registry(), path, request);
    }
    int dash = path.indexOf("/-/");
    String name = dash < 0 ? path : path.substring(0, dash);
    if (!NAME.matcher(name).matches()) {
      return Answer.missing("such page");
    }
    if (dash >= 0) {
      return file(name, path.substring(dash + 3));
    }
    Page page = pages.get(wanted(name, request.header("accept").contains(SHORT) ? SHORT : WHOLE));
    return page == null ? Answer.missing("package " + name) : page.answer();
  }

  private Answer file(String name, String file) throws IOException {
    Page page = FILE.matcher(file).matches() ? pages.known(wanted(name, SHORT)) : null;
    Page.NamedFile found = page == null ? null : page.find(file);
    if (found == null) {
      return Answer.missing("file " + file);
    }
    return Answer.of(
        "application/octet-stream",
        files.open(Promise.ofKey(found.digest()), URI.create(found.address())));
  }

  private URI registry() throws IOException {
    List<URI> registries = upstreams.npm();
    if (registries.isEmpty()) {
      throw new IOException("the server knows no registry of Node packages; set packages.npm");
    }
    return registries.getFirst();
  }

  private Pages.Wanted wanted(String name, String form) throws IOException {
    URI address = GoModules.at(registry(), name.replace("/", "%2f"));
    String accept = form.equals(SHORT) ? SHORT + ", " + WHOLE + ";q=0.8" : WHOLE;
    return new Pages.Wanted(address, accept, (from, to, list) -> translate(name, from, to, list));
  }

  /** Copies the page as it comes, whatever its size, with other addresses of the archives. */
  private String translate(String name, Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    try (JsonParser in = Json.lenient().createParser(from.body());
        JsonGenerator out = Json.lenient().createGenerator(to)) {
      for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
        if (token == JsonToken.START_OBJECT && "dist".equals(in.currentName())) {
          out.writeTree(distribution(name, from.address(), in.readValueAsTree(), list));
        } else {
          out.copyCurrentEvent(in);
        }
      }
    }
    return from.type().contains(SHORT) ? SHORT : WHOLE;
  }

  private ObjectNode distribution(String name, URI page, ObjectNode dist, Pages.FileList list)
      throws IOException {
    URI archive = address(page, dist.path("tarball").asString(""));
    String file = archive == null ? "" : fileName(archive);
    if (archive != null && FILE.matcher(file).matches()) {
      Promise promise =
          Promise.npm(dist.path("integrity").asString(null), dist.path("shasum").asString(null));
      list.add(
          new Page.NamedFile(
              file, archive.toString(), promise == null ? null : promise.key(), null));
      dist.put("tarball", base + name + "/-/" + file);
    }
    return dist;
  }

  private static String fileName(URI archive) {
    String path = String.valueOf(archive.getPath());
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static @Nullable URI address(URI page, String tarball) {
    try {
      return tarball.isEmpty() ? null : page.resolve(tarball);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
