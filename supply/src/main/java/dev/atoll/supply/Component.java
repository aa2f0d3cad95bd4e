package dev.atoll.supply;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A part of the product that somebody else wrote.
 *
 * @param group empty where the ecosystem has no groups
 * @param sha256 of the file that ships, where there is one
 * @param where which of our programs it is part of
 */
record Component(
    Ecosystem ecosystem,
    String group,
    String name,
    String version,
    @Nullable String sha256,
    String where) {

  /** Where a part comes from, which says how its versions are compared. */
  enum Ecosystem {
    MAVEN("Maven", "maven"),
    GO("Go", "golang"),
    DEBIAN("Debian", "deb/debian");

    private final String osv;
    private final String purl;

    Ecosystem(String osv, String purl) {
      this.osv = osv;
      this.purl = purl;
    }

    /** Its name in advisories, and the name of its file in a database of them. */
    String osv() {
      return osv;
    }
  }

  Component {
    Objects.requireNonNull(ecosystem);
    if (name.isEmpty() || version.isEmpty()) {
      throw new IllegalArgumentException("a component has a name and a version");
    }
  }

  /** The name by which advisories know it. */
  String advisoryName() {
    return group.isEmpty() ? name : group + ":" + name;
  }

  String purl() {
    String path = group.isEmpty() ? name : group + "/" + name;
    String known = ecosystem == Ecosystem.MAVEN ? path : path.toLowerCase(Locale.ROOT);
    return "pkg:" + ecosystem.purl + "/" + known + "@" + version.replace("+", "%2B");
  }

  /** As CycloneDX has it. */
  Map<String, Object> json() {
    Map<String, Object> json = new TreeMap<>();
    json.put("type", "library");
    json.put("bom-ref", purl() + "#" + where);
    if (!group.isEmpty()) {
      json.put("group", group);
    }
    json.put("name", name);
    json.put("version", version);
    json.put("purl", purl());
    if (sha256 != null) {
      json.put("hashes", new Object[] {Map.of("alg", "SHA-256", "content", sha256)});
    }
    json.put("properties", new Object[] {Map.of("name", "atoll:part-of", "value", where)});
    return json;
  }
}
