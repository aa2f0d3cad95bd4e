package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files of a Python project, taken from an index in either of its forms, with addresses that
 * lead through the cache.
 */
final class PipPage {
  private static final Pattern LINK =
      Pattern.compile("<a\\s([^>]{1,8000})>([^<]{0,1000})</a>", Pattern.CASE_INSENSITIVE);
  private static final Pattern ATTRIBUTE =
      Pattern.compile("([a-zA-Z-]+)(?:\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>]+)))?");

  private final String project;
  private final URI address;
  private final ObjectNode page;
  private final ArrayNode files;

  PipPage(String project, URI address) {
    this.project = project;
    this.address = address;
    this.page = empty(project);
    this.files = page.putArray("files");
  }

  static ObjectNode empty(String project) {
    ObjectNode page = Json.lenient().createObjectNode();
    page.putObject("meta").put("api-version", "1.0");
    page.put("name", project);
    return page;
  }

  ObjectNode json() {
    return page;
  }

  void takeJson(JsonNode upstream, Pages.FileList list) throws IOException {
    for (JsonNode file : upstream.path("files")) {
      String name = file.path("filename").asString("");
      String url = file.path("url").asString("");
      String sha256 = file.at("/hashes/sha256").asString(null);
      JsonNode metadata =
          file.has("core-metadata") ? file.get("core-metadata") : file.path("dist-info-metadata");
      ObjectNode made = add(name, url, sha256, metadata.path("sha256").asString(null), list);
      if (made != null) {
        copy(file, made, "requires-python");
        copy(file, made, "yanked");
      }
    }
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.has(field) && !from.get(field).isNull()) {
      to.set(field, from.get(field));
    }
  }

  void takeHtml(String html, Pages.FileList list) throws IOException {
    Matcher links = LINK.matcher(html);
    while (links.find()) {
      Map<String, String> attributes = attributes(links.group(1));
      String href = attributes.getOrDefault("href", "");
      int hash = href.indexOf('#');
      String url = hash < 0 ? href : href.substring(0, hash);
      String fragment = hash < 0 ? "" : href.substring(hash + 1);
      String sha256 = fragment.startsWith("sha256=") ? fragment.substring(7) : null;
      String metadata =
          attributes.getOrDefault(
              "data-core-metadata", attributes.getOrDefault("data-dist-info-metadata", ""));
      ObjectNode made =
          add(
              links.group(2).strip(),
              url,
              sha256,
              metadata.startsWith("sha256=") ? metadata.substring(7) : null,
              list);
      if (made != null) {
        html(attributes, made);
      }
    }
  }

  private static void html(Map<String, String> attributes, ObjectNode made) {
    String python = attributes.get("data-requires-python");
    if (python != null) {
      made.put("requires-python", python);
    }
    String yanked = attributes.get("data-yanked");
    if (yanked != null) {
      if (yanked.isEmpty()) {
        made.put("yanked", true);
      } else {
        made.put("yanked", yanked);
      }
    }
  }

  private static Map<String, String> attributes(String text) {
    Map<String, String> found = new HashMap<>();
    Matcher matcher = ATTRIBUTE.matcher(text);
    while (matcher.find()) {
      String value = matcher.group(2);
      value = value == null ? matcher.group(3) : value;
      value = value == null ? matcher.group(4) : value;
      found.put(matcher.group(1).toLowerCase(Locale.ROOT), value == null ? "" : unescaped(value));
    }
    return found;
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&amp;", "&");
  }

  /** Adds a file, unless its name or address is none. */
  private @Nullable ObjectNode add(
      String name,
      String url,
      @Nullable String sha256,
      @Nullable String metadata,
      Pages.FileList list)
      throws IOException {
    URI target;
    try {
      target = address.resolve(url);
    } catch (IllegalArgumentException e) {
      return null;
    }
    if (url.isEmpty() || !name.matches("[A-Za-z0-9][A-Za-z0-9._+!~-]*")) {
      return null;
    }
    Promise whole = Promise.sha256(sha256);
    Promise part = Promise.sha256(metadata);
    list.add(
        new Page.NamedFile(
            name,
            target.toString(),
            whole == null ? null : whole.key(),
            part == null ? null : part.key()));
    ObjectNode file = files.addObject();
    file.put("filename", name);
    file.put("url", "../../files/" + project + "/" + name);
    ObjectNode hashes = file.putObject("hashes");
    if (whole != null) {
      hashes.put("sha256", whole.digest());
    }
    if (part != null) {
      file.putObject("core-metadata").put("sha256", part.digest());
    }
    return file;
  }
}
