package dev.atoll.engine;

import dev.atoll.engine.store.TemplateRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.TemplateReference;
import dev.atoll.model.TemplateVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds the versions of templates that projects have built and share. What another project shares
 * is found by {@code owner/name} alone: sharing needs nobody's consent, so it must not change what
 * a name means to those whom it is shared with.
 */
record OwnTemplates(TemplateRows rows) {
  /** The tag of the newest version, whichever that is. */
  static final String NEWEST = "latest";

  boolean has(String project, String name) {
    return !rows.versions(project, name).isEmpty();
  }

  /** The version that a project means. */
  TemplateRows.Row row(String project, TemplateReference asked) {
    String owner = owner(project, asked);
    List<TemplateRows.Row> versions = rows.versions(owner, asked.name());
    String tag = asked.tag();
    Integer version =
        tag == null || tag.equals(NEWEST)
            ? asked.version()
            : rows.tags(owner, asked.name()).getOrDefault(tag, -1);
    return versions.stream()
        .filter(row -> version == null || row.version() == version)
        .findFirst()
        .orElseThrow(() -> unknown(asked));
  }

  private String owner(String project, TemplateReference asked) {
    String owner = asked.owner();
    if (owner == null || owner.equals(project)) {
      return project;
    }
    if (!rows.owners(project, asked.name()).contains(owner)) {
      throw unknown(asked);
    }
    return owner;
  }

  /** What a project calls a template, without its version. */
  static String nameFor(String project, String owner, String name) {
    return owner.equals(project) ? name : owner + "/" + name;
  }

  static AtollException unknown(TemplateReference asked) {
    return new AtollException(
        ErrorCode.TEMPLATE_NOT_FOUND,
        "there is no template " + asked,
        "list them with `atoll template ls`, or leave the template out for python; what another"
            + " project shares is named OWNER/NAME");
  }

  /** All versions, the newest first. */
  List<TemplateVersion> versions(String project, String name) {
    Map<String, Integer> tags = rows.tags(project, name);
    List<TemplateVersion> versions = new ArrayList<>();
    for (TemplateRows.Row row : rows.versions(project, name)) {
      List<String> own = new ArrayList<>();
      if (versions.isEmpty()) {
        own.add(NEWEST);
      }
      tags.entrySet().stream()
          .filter(tag -> tag.getValue() == row.version())
          .map(Map.Entry::getKey)
          .sorted()
          .forEach(own::add);
      versions.add(
          new TemplateVersion(row.version(), row.digest(), own, row.sizeBytes(), row.createdAt()));
    }
    return versions;
  }
}
