package dev.atoll.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes what the product is made of as CycloneDX: {@code Sbom CHECKOUT FILE [PACKAGE=VERSION]...},
 * the packages being those of Debian that the agent is linked with. The same build gives the same
 * bytes: there is no time and no serial number in it.
 */
public final class Sbom {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private Sbom() {}

  /** Ends with an exception, and without a file, when a part cannot be told. */
  public static void main(String... arguments) throws IOException {
    Map<String, String> debian = new LinkedHashMap<>();
    for (String argument : List.of(arguments).subList(2, arguments.length)) {
      int equals = argument.indexOf('=');
      debian.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    Path root = Path.of(arguments[0]);
    List<Component> components = new Shipped(root).components(debian);
    Files.write(Path.of(arguments[1]), JSON.writeValueAsBytes(document(components)));
  }

  static Map<String, Object> document(List<Component> components) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("bomFormat", "CycloneDX");
    document.put("specVersion", "1.6");
    document.put("version", 1);
    Map<String, Object> product =
        Map.of("type", "application", "name", "atoll", "bom-ref", "atoll");
    document.put("metadata", Map.of("component", product));
    document.put("components", components.stream().map(Component::json).toList());
    return document;
  }

  /** Reads what {@link #main} wrote. */
  static List<Component> read(Path file) throws IOException {
    List<Component> components = new ArrayList<>();
    JsonNode document = JSON.readTree(Files.readAllBytes(file));
    if (!document.path("bomFormat").asString("").equals("CycloneDX")) {
      throw new IOException(file + " is no SBOM of CycloneDX");
    }
    for (JsonNode component : document.path("components")) {
      components.add(component(component));
    }
    return components;
  }

  private static Component component(JsonNode json) throws IOException {
    String purl = json.path("purl").asString("");
    Component.Ecosystem ecosystem;
    if (purl.startsWith("pkg:maven/")) {
      ecosystem = Component.Ecosystem.MAVEN;
    } else if (purl.startsWith("pkg:golang/")) {
      ecosystem = Component.Ecosystem.GO;
    } else if (purl.startsWith("pkg:deb/")) {
      ecosystem = Component.Ecosystem.DEBIAN;
    } else {
      throw new IOException("nothing is known about the kind of " + json);
    }
    return new Component(
        ecosystem,
        json.path("group").asString(""),
        json.path("name").asString(""),
        json.path("version").asString(""),
        null,
        json.at("/properties/0/value").asString(""));
  }
}
