package dev.atoll.supply;

import dev.atoll.supply.Component.Ecosystem;
import java.util.Comparator;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One advisory in the format of OSV. */
record Advisory(JsonNode json) {

  String id() {
    return json.path("id").asString("");
  }

  String summary() {
    return json.path("summary").asString("").lines().findFirst().orElse("");
  }

  /** Whether it was taken back. */
  boolean withdrawn() {
    return json.has("withdrawn");
  }

  /** Whether a part is among what it speaks of, at one of the versions that it speaks of. */
  boolean affects(Component component) {
    return json.path("affected")
        .valueStream()
        .filter(affected -> names(affected.path("package"), component))
        .anyMatch(affected -> includes(affected, component));
  }

  private static boolean names(JsonNode named, Component component) {
    String ecosystem = named.path("ecosystem").asString("");
    int release = ecosystem.indexOf(':');
    String plain = release < 0 ? ecosystem : ecosystem.substring(0, release);
    return plain.equals(component.ecosystem().osv())
        && named.path("name").asString("").equals(component.advisoryName());
  }

  private static boolean includes(JsonNode affected, Component component) {
    String version = component.version();
    boolean listed =
        affected.path("versions").valueStream().anyMatch(v -> same(v.asString(""), component));
    return listed
        || affected
            .path("ranges")
            .valueStream()
            .filter(range -> !range.path("type").asString("").equals("GIT"))
            .anyMatch(range -> within(range, version, component.ecosystem()));
  }

  private static boolean same(String listed, Component component) {
    return Versions.of(component.ecosystem()).compare(listed, component.version()) == 0;
  }

  /**
   * The last event at or before the version says whether it is affected; a range without events
   * counts as affected, so that a person looks.
   */
  private static boolean within(JsonNode range, String version, Ecosystem ecosystem) {
    Comparator<String> order = Versions.of(ecosystem);
    boolean affected = range.path("events").isEmpty();
    String latest = "";
    for (JsonNode event : range.path("events")) {
      for (Map.Entry<String, JsonNode> entry : event.properties()) {
        String at = entry.getValue().asString("");
        if (at.equals("0")) {
          affected |= latest.isEmpty();
        } else if (reached(entry.getKey(), order.compare(version, at))
            && (latest.isEmpty() || order.compare(at, latest) >= 0)) {
          affected = entry.getKey().equals("introduced");
          latest = at;
        }
      }
    }
    return affected;
  }

  /** Whether an event counts for a version that is before, at or after it. */
  private static boolean reached(String event, int order) {
    return switch (event) {
      case "introduced", "fixed" -> order >= 0;
      case "last_affected" -> order > 0;
      default -> false;
    };
  }
}
