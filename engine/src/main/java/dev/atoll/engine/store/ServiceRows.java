package dev.atoll.engine.store;

import dev.atoll.model.Json;
import dev.atoll.model.RevisionState;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.ServiceSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of services, their revisions and their instances. */
public final class ServiceRows {
  private final Store store;

  public ServiceRows(Store store) {
    this.store = store;
  }

  /**
   * A service.
   *
   * @param revision the one that serves; 0 when there is none yet
   * @param previous the one that served before and can again; 0 when there is none
   */
  public record Row(
      String id,
      String project,
      ServiceSpec spec,
      int revision,
      int previous,
      boolean deleting,
      Instant createdAt) {}

  /** A sandbox of a service; null while it is being made. */
  public record Instance(String name, int revision, @Nullable String sandbox) {}

  public void insert(Row row) {
    store.update(
        "INSERT INTO services (id, project, name, spec, revision, created_at) VALUES (?,?,?,?,?,?)",
        row.id(),
        row.project(),
        row.spec().name(),
        json(row.spec()),
        row.revision(),
        row.createdAt().toEpochMilli());
  }

  public void update(String id, ServiceSpec spec) {
    store.update("UPDATE services SET spec=? WHERE id=?", json(spec), id);
  }

  /** From here on a service is only removed. */
  public void deleting(String id) {
    store.update("UPDATE services SET deleting=1 WHERE id=?", id);
  }

  /** Forgets a service with all that belongs to it. */
  public void delete(String id) {
    store.transaction(
        () -> {
          store.update("DELETE FROM service_instances WHERE service=?", id);
          store.update("DELETE FROM service_revisions WHERE service=?", id);
          store.update("DELETE FROM port_shares WHERE sandbox=?", id);
          store.update("DELETE FROM services WHERE id=?", id);
        });
  }

  public List<Row> all() {
    return store.query(
        row ->
            new Row(
                row.getString("id"),
                row.getString("project"),
                spec(row),
                row.getInt("revision"),
                row.getInt("previous"),
                row.getInt("deleting") != 0,
                Instant.ofEpochMilli(row.getLong("created_at"))),
        "SELECT * FROM services ORDER BY created_at");
  }

  // Revisions.

  /** A revision that is to be made. */
  public void insert(String service, int number, ServiceSpec spec, String snapshot, Instant now) {
    store.update(
        "INSERT INTO service_revisions (service, number, state, spec, snapshot, created_at)"
            + " VALUES (?,?,?,?,?,?)",
        service,
        number,
        RevisionState.BUILDING.wire(),
        json(spec),
        snapshot,
        now.toEpochMilli());
  }

  public void failed(String service, int number, String message) {
    store.update(
        "UPDATE service_revisions SET state=?, message=? WHERE service=? AND number=?",
        RevisionState.FAILED.wire(),
        message,
        service,
        number);
  }

  /** Lets a revision serve in the place of the one before. */
  public void serve(String service, int number, ServiceSpec spec) {
    store.transaction(
        () -> {
          store.update(
              "UPDATE service_revisions SET state=? WHERE service=? AND state=?",
              RevisionState.RETIRED.wire(),
              service,
              RevisionState.CURRENT.wire());
          store.update(
              "UPDATE service_revisions SET state=? WHERE service=? AND number=?",
              RevisionState.CURRENT.wire(),
              service,
              number);
          store.update(
              "UPDATE services SET previous=revision, revision=?, spec=? WHERE id=?",
              number,
              json(spec),
              service);
        });
  }

  /** All of them, the newest first; the snapshot is the name of that of the revision itself. */
  public List<ServiceRevision> revisions(String service) {
    return store.query(
        ServiceRows::revision,
        "SELECT * FROM service_revisions WHERE service=? ORDER BY number DESC",
        service);
  }

  /** What was deployed as a revision. */
  public ServiceSpec spec(String service, int number) {
    return store
        .query(
            ServiceRows::spec,
            "SELECT spec FROM service_revisions WHERE service=? AND number=?",
            service,
            number)
        .getFirst();
  }

  /** Forgets old revisions, of which nothing is left but their rows. */
  public void purge(String service, int upTo) {
    store.update(
        "DELETE FROM service_revisions WHERE service=? AND number<=? AND state IN (?,?)"
            + " AND number NOT IN (SELECT previous FROM services WHERE id=?)",
        service,
        upTo,
        RevisionState.RETIRED.wire(),
        RevisionState.FAILED.wire(),
        service);
  }

  // Instances.

  public void insertInstance(String service, String name, int revision) {
    store.update(
        "INSERT INTO service_instances (name, service, revision) VALUES (?,?,?)",
        name,
        service,
        revision);
  }

  public void instanceMade(String name, String sandbox) {
    store.update("UPDATE service_instances SET sandbox=? WHERE name=?", sandbox, name);
  }

  public void deleteInstance(String name) {
    store.update("DELETE FROM service_instances WHERE name=?", name);
  }

  public List<Instance> instances(String service) {
    return store.query(
        row ->
            new Instance(row.getString("name"), row.getInt("revision"), row.getString("sandbox")),
        "SELECT * FROM service_instances WHERE service=? ORDER BY rowid",
        service);
  }

  private static String json(ServiceSpec spec) {
    return Json.lenient().writeValueAsString(spec);
  }

  private static ServiceSpec spec(ResultSet row) throws SQLException {
    return Json.lenient().readValue(row.getString("spec"), ServiceSpec.class);
  }

  private static ServiceRevision revision(ResultSet row) throws SQLException {
    ServiceSpec spec = spec(row);
    return new ServiceRevision(
        row.getInt("number"),
        RevisionState.of(row.getString("state")),
        spec.start(),
        spec.listens(),
        spec.template(),
        row.getString("snapshot"),
        row.getString("message"),
        Instant.ofEpochMilli(row.getLong("created_at")));
  }
}
