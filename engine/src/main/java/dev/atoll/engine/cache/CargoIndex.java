package dev.atoll.engine.cache;

import dev.atoll.model.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Rust crates, as cargo asks a sparse index for them:
 *
 * <pre>
 * config.json                    where crates are
 * 1/A, 2/AB, 3/A/ABC, AB/CD/ABCD  the versions of a crate, one a line
 * crates/CRATE/VERSION/download  one of them
 * </pre>
 */
final class CargoIndex {
  private static final String CONFIG = "config.json";
  private static final String DOWNLOADS = "crates/";
  private static final Pattern CRATE = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern VERSION = Pattern.compile("[0-9][A-Za-z0-9.+-]{0,127}");

  /** A version with all it needs is far shorter. */
  private static final int MAX_LINE = 512 << 10;

  private static final int MAX_CONFIG = 64 << 10;

  private final String base;
  private final Upstreams upstreams;
  private final Pages pages;
  private final PackageFiles files;

  /**
   * @param base the address of this index as guests have it, with a slash at its end
   */
  CargoIndex(String base, Upstreams upstreams, Pages pages, PackageFiles files) {
    this.base = base;
    this.upstreams = upstreams;
    this.pages = pages;
    this.files = files;
  }

  /**
   * Answers a request.
   *
   * @param path what follows {@code /cargo/}
   */
  Answer answer(String path) throws IOException {
    if (path.equals(CONFIG)) {
      return config();
    }
    List<String> parts = List.of(path.split("/", -1));
    if (path.startsWith(DOWNLOADS) && parts.size() == 4 && parts.get(3).equals("download")) {
      return file(parts.get(1), parts.get(2));
    }
    String crate = parts.getLast();
    if (!CRATE.matcher(crate).matches() || !path.equals(place(crate))) {
      return Answer.missing("such page");
    }
    Page page = pages.get(wanted(crate));
    return page == null ? Answer.missing("crate " + crate) : page.answer();
  }

  private Answer config() {
    String text =
        Json.lenient()
            .createObjectNode()
            .put("dl", base + DOWNLOADS.substring(0, DOWNLOADS.length() - 1))
            .toString();
    return Answer.of("application/json", Body.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private Answer file(String crate, String version) throws IOException {
    boolean plain = CRATE.matcher(crate).matches() && VERSION.matcher(version).matches();
    Page.NamedFile found = plain ? find(crate, version) : null;
    Promise promise = found == null ? null : Promise.ofKey(found.digest());
    if (promise == null) {
      return Answer.missing("version " + version + " of crate " + crate);
    }
    return Answer.of(
        "application/octet-stream", files.open(promise, download(crate, version, promise)));
  }

  private Page.@Nullable NamedFile find(String crate, String version) throws IOException {
    Page page = pages.known(wanted(crate));
    Page.NamedFile found = page == null ? null : page.find(version);
    if (found != null) {
      return found;
    }
    // A program may know of a version that has come since.
    Page newer = pages.get(wanted(crate));
    return newer == null ? null : newer.find(version);
  }

  /** Where the registry has a crate, by its own form for that. */
  private URI download(String crate, String version, Promise promise) throws IOException {
    URI config = GoModules.at(index(), CONFIG);
    Page page = pages.get(new Pages.Wanted(config, "*/*", CargoIndex::config));
    Page.NamedFile form = page == null ? null : page.find("dl");
    if (form == null) {
      throw new IOException(config.getHost() + " does not say where its crates are");
    }
    String address = form.address();
    if (!address.contains("{")) {
      address += "/{crate}/{version}/download";
    }
    String prefix = prefix(crate);
    try {
      return URI.create(
          address
              .replace("{crate}", crate)
              .replace("{version}", version)
              .replace("{prefix}", prefix)
              .replace("{lowerprefix}", prefix.toLowerCase(Locale.ROOT))
              .replace("{sha256-checksum}", promise.digest()));
    } catch (IllegalArgumentException e) {
      throw new IOException(config.getHost() + " does not say where its crates are", e);
    }
  }

  private static String prefix(String crate) {
    return switch (crate.length()) {
      case 1 -> "1";
      case 2 -> "2";
      case 3 -> "3/" + crate.charAt(0);
      default -> crate.substring(0, 2) + "/" + crate.substring(2, 4);
    };
  }

  private static String place(String crate) {
    String lower = crate.toLowerCase(Locale.ROOT);
    return prefix(lower) + "/" + lower;
  }

  private Pages.Wanted wanted(String crate) throws IOException {
    return new Pages.Wanted(GoModules.at(index(), place(crate)), "*/*", CargoIndex::copy);
  }

  private URI index() throws IOException {
    List<URI> indexes = upstreams.cargo();
    if (indexes.isEmpty()) {
      throw new IOException("the server knows no sparse index of Rust crates; set packages.cargo");
    }
    return indexes.getFirst();
  }

  /** Copies a page line by line, however many there are. */
  private static String copy(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    InputStream in = new BufferedInputStream(from.body());
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      to.write(b);
      if (b != '\n') {
        line.write(b);
      } else {
        take(line, list);
      }
      if (line.size() > MAX_LINE) {
        throw new IOException("the index has a line longer than " + MAX_LINE + " bytes");
      }
    }
    take(line, list);
    return "text/plain; charset=utf-8";
  }

  private static void take(ByteArrayOutputStream line, Pages.FileList list) throws IOException {
    if (line.size() > 0) {
      Page.NamedFile version = version(line.toByteArray());
      if (version != null) {
        list.add(version);
      }
      line.reset();
    }
  }

  /** Most of a line is of no use here, so no tree is made of it. */
  private static Page.@Nullable NamedFile version(byte[] line) throws IOException {
    String name = "";
    Promise promise = null;
    try (JsonParser in = Json.lenient().createParser(line)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("the index has a line that is no version");
      }
      for (String key = in.nextName(); key != null; key = in.nextName()) {
        JsonToken value = in.nextToken();
        if (value == JsonToken.VALUE_STRING && key.equals("cksum")) {
          promise = Promise.sha256(in.getString());
        } else if (value == JsonToken.VALUE_STRING && key.equals("vers")) {
          name = in.getString();
        } else {
          in.skipChildren();
        }
      }
    }
    return promise == null || !VERSION.matcher(name).matches()
        ? null
        : new Page.NamedFile(name, "", promise.key(), null);
  }

  /** Keeps where crates are; the rest is of no use to guests. */
  private static String config(Fetcher.Fetched from, OutputStream to, Pages.FileList list)
      throws IOException {
    byte[] bytes = from.body().readNBytes(MAX_CONFIG);
    String form = Json.lenient().readTree(bytes).path("dl").asString("");
    if (!form.isEmpty()) {
      list.add(new Page.NamedFile("dl", form, null, null));
    }
    to.write(bytes);
    return "application/json";
  }
}
