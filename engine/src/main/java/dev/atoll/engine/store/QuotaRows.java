package dev.atoll.engine.store;

import dev.atoll.model.Json;
import dev.atoll.model.QuotaLimits;
import java.util.List;
import java.util.Optional;

/** The table of what projects may have. */
public final class QuotaRows {
  private final Store store;

  public QuotaRows(Store store) {
    this.store = store;
  }

  /** The limits of a project that has some of its own. */
  public Optional<QuotaLimits> of(String project) {
    return store
        .query(
            row -> Json.lenient().readValue(row.getString("limits"), QuotaLimits.class),
            "SELECT limits FROM project_quotas WHERE project=?",
            project)
        .stream()
        .findFirst();
  }

  public void set(String project, QuotaLimits limits) {
    store.update(
        "INSERT INTO project_quotas (project, limits) VALUES (?,?)"
            + " ON CONFLICT (project) DO UPDATE SET limits=excluded.limits",
        project,
        Json.lenient().writeValueAsString(limits));
  }

  public void remove(String project) {
    store.update("DELETE FROM project_quotas WHERE project=?", project);
  }

  /** The projects that have limits of their own. */
  public List<String> limited() {
    return names("SELECT project FROM project_quotas ORDER BY project");
  }

  /** All projects that have a key, something that counts, or limits of their own. */
  public List<String> projects() {
    return names(
        "SELECT project FROM project_quotas UNION SELECT project FROM api_keys"
            + " UNION SELECT project FROM sandboxes WHERE state NOT IN ('terminated','failed')"
            + " UNION SELECT project FROM snapshots UNION SELECT project FROM templates"
            + " UNION SELECT project FROM pools UNION SELECT project FROM services"
            + " ORDER BY project");
  }

  private List<String> names(String sql) {
    return store.query(row -> row.getString(1), sql);
  }
}
