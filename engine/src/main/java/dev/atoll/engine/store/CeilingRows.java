package dev.atoll.engine.store;

import dev.atoll.model.Json;
import dev.atoll.model.NetworkPolicy;
import java.util.Optional;

/** The table of what projects may not exceed on the network. */
public final class CeilingRows {
  private final Store store;

  public CeilingRows(Store store) {
    this.store = store;
  }

  /** The ceiling of a project that has one of its own. */
  public Optional<NetworkPolicy> of(String project) {
    return store
        .query(
            row -> Json.lenient().readValue(row.getString("ceiling"), NetworkPolicy.class),
            "SELECT ceiling FROM project_ceilings WHERE project=?",
            project)
        .stream()
        .findFirst();
  }

  public void set(String project, NetworkPolicy ceiling) {
    store.update(
        "INSERT INTO project_ceilings (project, ceiling) VALUES (?,?)"
            + " ON CONFLICT (project) DO UPDATE SET ceiling=excluded.ceiling",
        project,
        Json.lenient().writeValueAsString(ceiling));
  }

  public void remove(String project) {
    store.update("DELETE FROM project_ceilings WHERE project=?", project);
  }
}
