package dev.atoll.engine.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of templates: versions, tags and shares. */
public final class TemplateRows {
  private final Store store;

  public TemplateRows(Store store) {
    this.store = store;
  }

  /** One version. */
  public record Row(
      String project,
      String name,
      int version,
      String digest,
      @Nullable String description,
      String recipe,
      long sizeBytes,
      Instant createdAt) {}

  /**
   * Adds a version, unless the newest one has that digest already.
   *
   * @return the version that has it now
   */
  public Row add(
      String project,
      String name,
      String digest,
      @Nullable String description,
      String recipe,
      long sizeBytes) {
    List<Row> result = new ArrayList<>(1);
    store.transaction(
        () -> {
          Optional<Row> newest = versions(project, name).stream().findFirst();
          if (newest.isPresent() && newest.get().digest().equals(digest)) {
            result.add(newest.get());
            return;
          }
          Row row =
              new Row(
                  project,
                  name,
                  nextVersion(project, name),
                  digest,
                  description,
                  recipe,
                  sizeBytes,
                  Instant.ofEpochMilli(System.currentTimeMillis()));
          insert(row);
          result.add(row);
        });
    return result.getFirst();
  }

  /** Numbers are never given twice while the template is there. */
  private int nextVersion(String project, String name) {
    return 1
        + store
            .query(
                row -> row.getInt(1),
                "SELECT max(coalesce((SELECT max(version) FROM templates WHERE project=? AND"
                    + " name=?), 0), coalesce((SELECT max(version) FROM template_builds WHERE"
                    + " project=? AND name=?), 0))",
                project,
                name,
                project,
                name)
            .getFirst();
  }

  private void insert(Row row) {
    store.update(
        "INSERT INTO templates (project, name, version, digest, description, recipe, size_bytes,"
            + " created_at) VALUES (?,?,?,?,?,?,?,?)",
        row.project(),
        row.name(),
        row.version(),
        row.digest(),
        row.description(),
        row.recipe(),
        row.sizeBytes(),
        row.createdAt().toEpochMilli());
  }

  /** The versions of a template, the newest first. */
  public List<Row> versions(String project, String name) {
    return store.query(
        TemplateRows::read,
        "SELECT * FROM templates WHERE project=? AND name=? ORDER BY version DESC",
        project,
        name);
  }

  /** The newest version of each template that a project owns or may use. */
  public List<Row> newest(String project) {
    return store.query(
        TemplateRows::read,
        "SELECT t.* FROM templates t WHERE version = (SELECT max(version) FROM templates o WHERE"
            + " o.project=t.project AND o.name=t.name) AND (project=? OR EXISTS (SELECT 1 FROM"
            + " template_shares s WHERE s.project=t.project AND s.name=t.name AND"
            + " s.shared_with=?)) ORDER BY name, project",
        project,
        project);
  }

  /** All versions that a project has. */
  public List<Row> of(String project) {
    return store.query(
        TemplateRows::read,
        "SELECT * FROM templates WHERE project=? ORDER BY name, version",
        project);
  }

  /** How many versions a project has. */
  public int count(String project) {
    return store
        .query(row -> row.getInt(1), "SELECT count(*) FROM templates WHERE project=?", project)
        .getFirst();
  }

  /** Projects that share a template of that name with this one. */
  public List<String> owners(String sharedWith, String name) {
    return store.query(
        row -> row.getString(1),
        "SELECT DISTINCT s.project FROM template_shares s JOIN templates t ON t.project=s.project"
            + " AND t.name=s.name WHERE s.shared_with=? AND s.name=? ORDER BY s.project",
        sharedWith,
        name);
  }

  /** Whether any version of any project has that digest. */
  public boolean has(String digest) {
    return countWith(digest) > 0;
  }

  /** How many versions of all projects have that digest. */
  public int countWith(String digest) {
    return store
        .query(row -> row.getInt(1), "SELECT count(*) FROM templates WHERE digest=?", digest)
        .getFirst();
  }

  /** Removes versions with the tags that point to them; the last one takes the shares along. */
  public void delete(String project, String name, List<Integer> versions) {
    store.transaction(
        () -> {
          for (int version : versions) {
            store.update(
                "DELETE FROM templates WHERE project=? AND name=? AND version=?",
                project,
                name,
                version);
            store.update(
                "DELETE FROM template_tags WHERE project=? AND name=? AND version=?",
                project,
                name,
                version);
          }
          if (versions(project, name).isEmpty()) {
            store.update("DELETE FROM template_shares WHERE project=? AND name=?", project, name);
          }
        });
  }

  public void tag(String project, String name, String tag, int version) {
    store.update(
        "INSERT INTO template_tags (project, name, tag, version) VALUES (?,?,?,?)"
            + " ON CONFLICT (project, name, tag) DO UPDATE SET version=excluded.version",
        project,
        name,
        tag,
        version);
  }

  /** Whether there was one. */
  public boolean untag(String project, String name, String tag) {
    return store.update(
            "DELETE FROM template_tags WHERE project=? AND name=? AND tag=?", project, name, tag)
        > 0;
  }

  /** Tags to versions. */
  public Map<String, Integer> tags(String project, String name) {
    return store
        .query(
            row -> Map.entry(row.getString("tag"), row.getInt("version")),
            "SELECT * FROM template_tags WHERE project=? AND name=?",
            project,
            name)
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  public void share(String project, String name, String with) {
    store.update(
        "INSERT INTO template_shares (project, name, shared_with) VALUES (?,?,?)"
            + " ON CONFLICT DO NOTHING",
        project,
        name,
        with);
  }

  /** Whether it was shared. */
  public boolean unshare(String project, String name, String with) {
    return store.update(
            "DELETE FROM template_shares WHERE project=? AND name=? AND shared_with=?",
            project,
            name,
            with)
        > 0;
  }

  public List<String> shares(String project, String name) {
    return store.query(
        row -> row.getString(1),
        "SELECT shared_with FROM template_shares WHERE project=? AND name=? ORDER BY shared_with",
        project,
        name);
  }

  private static Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString("project"),
        row.getString("name"),
        row.getInt("version"),
        row.getString("digest"),
        row.getString("description"),
        row.getString("recipe"),
        row.getLong("size_bytes"),
        Instant.ofEpochMilli(row.getLong("created_at")));
  }
}
