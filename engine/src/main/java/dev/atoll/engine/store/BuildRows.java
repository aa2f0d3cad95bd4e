package dev.atoll.engine.store;

import dev.atoll.model.BuildInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of builds of templates. */
public final class BuildRows {
  private final Store store;

  public BuildRows(Store store) {
    this.store = store;
  }

  public void insert(String project, BuildInfo build) {
    store.update(
        "INSERT INTO template_builds (id, project, name, state, started_at) VALUES (?,?,?,?,?)",
        build.id(),
        project,
        build.template(),
        build.state(),
        build.startedAt().toEpochMilli());
  }

  /** Notes how a build ended. */
  public void end(String id, String state, @Nullable Integer version, @Nullable String message) {
    store.update(
        "UPDATE template_builds SET state=?, version=?, message=?, ended_at=? WHERE id=?",
        state,
        version,
        message,
        System.currentTimeMillis(),
        id);
  }

  /** Builds that a server was in the middle of when it ended; how many. */
  public int endOpen(String message) {
    return store.update(
        "UPDATE template_builds SET state='failed', message=?, ended_at=? WHERE state='running'",
        message,
        System.currentTimeMillis());
  }

  public Optional<BuildInfo> find(String project, String name, String id) {
    return store
        .query(
            BuildRows::read,
            "SELECT * FROM template_builds WHERE project=? AND name=? AND id=?",
            project,
            name,
            id)
        .stream()
        .findFirst();
  }

  /** Those of a template, the newest first. */
  public List<BuildInfo> list(String project, String name) {
    return store.query(
        BuildRows::read,
        "SELECT * FROM template_builds WHERE project=? AND name=? ORDER BY started_at DESC, id"
            + " LIMIT 100",
        project,
        name);
  }

  /** Forgets builds that ended before that; their ids. */
  public List<String> purge(Instant before) {
    List<String> old =
        store.query(
            row -> row.getString(1),
            "SELECT id FROM template_builds WHERE ended_at < ?",
            before.toEpochMilli());
    old.forEach(id -> store.update("DELETE FROM template_builds WHERE id=?", id));
    return old;
  }

  private static BuildInfo read(ResultSet row) throws SQLException {
    int version = row.getInt("version");
    boolean none = row.wasNull();
    long ended = row.getLong("ended_at");
    return new BuildInfo(
        row.getString("id"),
        row.getString("name"),
        row.getString("state"),
        none ? null : version,
        row.getString("message"),
        Instant.ofEpochMilli(row.getLong("started_at")),
        ended == 0 ? null : Instant.ofEpochMilli(ended));
  }
}
