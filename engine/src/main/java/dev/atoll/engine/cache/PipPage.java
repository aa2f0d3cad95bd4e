package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files of a Python project, taken from an index in either of its forms, with addresses that
 * lead through the cache. They are written as they are read: some projects have tens of thousands.
 */
final class PipPage {
  /** Links have to be searched in the whole of a page, which therefore must fit into memory. */
  private static final int MAX_HTML = 32 << 20;

  private static final Pattern LINK =
      Pattern.compile("<a\\s([^>]{1,8000})>([^<]{0,1000})</a>", Pattern.CASE_INSENSITIVE);
  private static final Pattern ATTRIBUTE =
      Pattern.compile("([a-zA-Z-]+)(?:\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>]+)))?");

  private final String project;
  private final URI address;
  private final Pages.FileList list;
  private final JsonGenerator out;

  PipPage(String project, URI address, OutputStream to, Pages.FileList list) {
    this.project = project;
    this.address = address;
    this.list = list;
    this.out = Json.lenient().createGenerator(to);
    begin(project, out);
  }

  /** Writes all that comes before the files. */
  private static void begin(String project, JsonGenerator out) {
    out.writeStartObject();
    out.writeObjectPropertyStart("meta").writeStringProperty("api-version", "1.0").writeEndObject();
    out.writeStringProperty("name", project);
    out.writeArrayPropertyStart("files");
  }

  /** Ends the page. */
  void end() {
    out.writeEndArray().writeEndObject().close();
  }

  /** A page of files that are known. */
  static void write(String project, ArrayNode files, OutputStream to) {
    try (JsonGenerator out = Json.lenient().createGenerator(to)) {
      begin(project, out);
      files.forEach(out::writeTree);
      out.writeEndArray().writeEndObject();
    }
  }

  void takeJson(InputStream page) throws IOException {
    try (JsonParser in = Json.lenient().createParser(page)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean files = in.currentName().equals("files");
        JsonToken value = in.nextToken();
        if (!files || value != JsonToken.START_ARRAY) {
          in.skipChildren();
          continue;
        }
        while (in.nextToken() == JsonToken.START_OBJECT) {
          takeFile(in.readValueAsTree());
        }
      }
    }
  }

  private void takeFile(JsonNode file) throws IOException {
    JsonNode metadata =
        file.has("core-metadata") ? file.get("core-metadata") : file.path("dist-info-metadata");
    ObjectNode made =
        file(
            file.path("filename").asString(""),
            file.path("url").asString(""),
            file.at("/hashes/sha256").asString(null),
            metadata.path("sha256").asString(null));
    if (made != null) {
      copy(file, made, "requires-python");
      copy(file, made, "yanked");
      out.writeTree(made);
    }
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.has(field) && !from.get(field).isNull()) {
      to.set(field, from.get(field));
    }
  }

  void takeHtml(InputStream page) throws IOException {
    byte[] html = page.readNBytes(MAX_HTML + 1);
    if (html.length > MAX_HTML) {
      throw new IOException("a page of the index is larger than " + MAX_HTML + " bytes");
    }
    Matcher links = LINK.matcher(new String(html, StandardCharsets.UTF_8));
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
          file(
              links.group(2).strip(),
              url,
              sha256,
              metadata.startsWith("sha256=") ? metadata.substring(7) : null);
      if (made != null) {
        html(attributes, made);
        out.writeTree(made);
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

  /** A file, which is listed; null when its name or address is none, or it fits no guest here. */
  private @Nullable ObjectNode file(
      String name, String url, @Nullable String sha256, @Nullable String metadata)
      throws IOException {
    URI target;
    try {
      target = address.resolve(url);
    } catch (IllegalArgumentException e) {
      return null;
    }
    if (url.isEmpty()
        || !name.matches("[A-Za-z0-9][A-Za-z0-9._+!~-]*")
        || !WheelName.mayFit(name)) {
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
    ObjectNode file = Json.lenient().createObjectNode();
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
