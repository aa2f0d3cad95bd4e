package dev.atoll.engine.store;

import dev.atoll.model.Json;
import dev.atoll.model.PoolSpec;
import java.time.Instant;
import java.util.List;

/** The table of warm pools. */
public final class PoolRows {
  private final Store store;

  public PoolRows(Store store) {
    this.store = store;
  }

  /** A pool and whose it is. */
  public record Row(String id, String project, PoolSpec spec, Instant createdAt) {}

  public void insert(Row row) {
    store.update(
        "INSERT INTO pools (id, project, name, spec, created_at) VALUES (?,?,?,?,?)",
        row.id(),
        row.project(),
        row.spec().name(),
        Json.lenient().writeValueAsString(row.spec()),
        row.createdAt().toEpochMilli());
  }

  public void update(Row row) {
    store.update(
        "UPDATE pools SET spec=? WHERE id=?",
        Json.lenient().writeValueAsString(row.spec()),
        row.id());
  }

  public void delete(String id) {
    store.update("DELETE FROM pools WHERE id=?", id);
  }

  public List<Row> all() {
    return store.query(
        row ->
            new Row(
                row.getString("id"),
                row.getString("project"),
                Json.lenient().readValue(row.getString("spec"), PoolSpec.class),
                Instant.ofEpochMilli(row.getLong("created_at"))),
        "SELECT * FROM pools ORDER BY created_at");
  }
}
