package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/**
 * Python packages, as pip asks for them:
 *
 * <pre>
 * simple/PROJECT/              the files of a project, as JSON
 * files/PROJECT/FILE           one of them
 * files/PROJECT/FILE.metadata  what it needs, without the rest
 * </pre>
 */
final class PipIndex {
  private static final String JSON = "application/vnd.pypi.simple.v1+json";
  private static final String ACCEPT = JSON + ", text/html;q=0.1";
  private static final Pattern PROJECT = Pattern.compile("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?");
  private static final Pattern FILE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+!~-]*");
  private static final String METADATA = ".metadata";

  /** Pages of one project by several indexes are put together in memory. */
  private static final long MAX_MERGED = 16 << 20;

  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;

  PipIndex(Upstreams upstreams, Pages pages, PackageFiles files) {
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
  }

  /**
   * Answers a request.
   *
   * @param path what follows {@code /pip/}, in its parts
   */
  Answer answer(List<String> path) throws IOException {
    String project = path.size() < 2 ? "" : normal(path.get(1));
    if (!PROJECT.matcher(project).matches()) {
      return Answer.missing("such page");
    }
    List<String> rest = path.subList(2, path.size());
    if (path.getFirst().equals("simple") && (rest.isEmpty() || rest.equals(List.of("")))) {
      return page(project);
    }
    if (path.getFirst().equals("files") && rest.size() == 1) {
      return file(project, rest.getFirst());
    }
    return Answer.missing("such page");
  }

  private static String normal(String project) {
    return project.toLowerCase(Locale.ROOT).replaceAll("[-_.]+", "-");
  }

  /** The page of the first index that has it: pip too prefers none over another by its address. */
  private Answer page(String project) throws IOException {
    Page first = null;
    ArrayNode more = null;
    for (URI index : configured()) {
      Page page = pages.get(wanted(index, project));
      if (page == null) {
        continue;
      }
      if (first == null) {
        first = page;
      } else {
        more = more == null ? filesOf(first) : more;
        more.addAll(filesOf(page));
      }
    }
    if (first == null) {
      return Answer.missing("project " + project);
    }
    return more == null ? first.answer() : merged(project, more);
  }

  private static ArrayNode filesOf(Page page) throws IOException {
    try (Answer answer = page.answer()) {
      if (answer.body().length() > MAX_MERGED) {
        throw new IOException("pages of several indexes are too large to be put together");
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      answer.body().writeTo(bytes);
      return (ArrayNode) Json.lenient().readTree(bytes.toByteArray()).get("files");
    }
  }

  private static Answer merged(String project, ArrayNode files) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PipPage.write(project, files, bytes);
    return Answer.of(JSON, Body.of(bytes.toByteArray()));
  }

  private Answer file(String project, String name) throws IOException {
    if (!FILE.matcher(name).matches()) {
      return Answer.missing("such file");
    }
    boolean metadata = name.endsWith(METADATA);
    String whole = metadata ? name.substring(0, name.length() - METADATA.length()) : name;
    for (URI index : configured()) {
      Page.NamedFile found = find(index, project, whole);
      if (found != null) {
        return metadata ? metadata(found) : content(found);
      }
    }
    return Answer.missing("file " + name);
  }

  private Page.@Nullable NamedFile find(URI index, String project, String name) throws IOException {
    Page page = pages.known(wanted(index, project));
    return page == null ? null : page.find(name);
  }

  private Answer content(Page.NamedFile file) throws IOException {
    return Answer.of(
        "application/octet-stream",
        files.open(Promise.ofKey(file.digest()), URI.create(file.address())));
  }

  private Answer metadata(Page.NamedFile file) throws IOException {
    Promise promise = Promise.ofKey(file.metadata());
    return promise == null
        ? Answer.missing("metadata of " + file.name())
        : Answer.of("text/plain", files.open(promise, URI.create(file.address() + METADATA)));
  }

  private List<URI> configured() throws IOException {
    List<URI> indexes = upstreams.pip();
    if (indexes.isEmpty()) {
      throw new IOException("the server knows no index of Python packages; set packages.pip");
    }
    return indexes;
  }

  private static Pages.Wanted wanted(URI index, String project) {
    String base = index.toString();
    URI address = URI.create((base.endsWith("/") ? base : base + "/") + project + "/");
    return new Pages.Wanted(
        address, ACCEPT, (from, to, list) -> translate(project, from, to, list));
  }

  private static String translate(
      String project, Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    // The page ends here, and not before a failure: half of it must not look whole.
    PipPage page = new PipPage(project, from.address(), to, list);
    if (from.type().contains("json")) {
      page.takeJson(from.body());
    } else {
      page.takeHtml(from.body());
    }
    page.end();
    return JSON;
  }
}
