package dev.atoll.engine;

import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sandboxes that have not ended, and their rows.
 *
 * <p>The database row is the truth. A row is written before anything exists on the host and is
 * marked as ended before anything is removed, so that whatever a crash leaves behind belongs to a
 * row that says what to do with it; see {@link Recovery}.
 */
final class Registry {
  private final int maxPerProject;
  private final Store store;
  private final SandboxRows rows;
  private final Map<String, LiveSandbox> live = new ConcurrentHashMap<>();

  Registry(int maxPerProject, Store store, SandboxRows rows) {
    this.maxPerProject = maxPerProject;
    this.store = store;
    this.rows = rows;
  }

  @Nullable LiveSandbox live(String id) {
    return live.get(id);
  }

  static AtollException unknown(String idOrName) {
    return new AtollException(
        ErrorCode.SANDBOX_NOT_FOUND,
        "there is no sandbox " + idOrName,
        "list them with `atoll ls`");
  }

  /** The living sandbox of that id or name; one of another project does not exist. */
  LiveSandbox require(String project, String idOrName) {
    LiveSandbox byId = live.get(idOrName);
    if (byId != null && byId.project().equals(project)) {
      return byId;
    }
    SandboxInfo row = rows.find(project, idOrName).orElseThrow(() -> unknown(idOrName));
    LiveSandbox found = live.get(row.id());
    if (found != null) {
      return found;
    }
    if (SandboxRows.LIVING.contains(row.state())) {
      throw new AtollException(
          ErrorCode.SANDBOX_NOT_RUNNING,
          "sandbox " + idOrName + " is " + row.state().wire(),
          "try again in a moment",
          Map.of("state", row.state().wire()),
          null);
    }
    throw Lifecycle.gone(row);
  }

  Collection<LiveSandbox> all() {
    return live.values();
  }

  boolean has(LiveSandbox sandbox) {
    return live.get(sandbox.id()) == sandbox;
  }

  Map<SandboxState, Long> counts() {
    return live.values().stream()
        .collect(Collectors.groupingBy(s -> s.info().state(), Collectors.counting()));
  }

  /** A sandbox that runs, or sleeps, from now on. */
  void add(LiveSandbox sandbox) {
    live.put(sandbox.id(), sandbox);
  }

  void remove(LiveSandbox sandbox) {
    live.remove(sandbox.id());
  }

  void clear() {
    live.clear();
  }

  /** Makes sure that a project may have so many more. */
  void requireRoom(String project, int more) {
    long living = live.values().stream().filter(s -> s.project().equals(project)).count();
    if (living + more > maxPerProject) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project has %d sandboxes and may have %d".formatted(living, maxPerProject),
          "end some of them, or raise sandbox.max-per-project",
          Map.of("limit", maxPerProject),
          null);
    }
  }

  /** The sandbox that an earlier request with the same key has made, if there was one. */
  @Nullable SandboxInfo earlier(String project, String key, String request) {
    record Earlier(String request, String sandbox) {}
    List<Earlier> found =
        store.query(
            row -> new Earlier(row.getString("request"), row.getString("sandbox")),
            "SELECT request, sandbox FROM idempotency WHERE project=? AND key=?",
            project,
            key);
    if (found.isEmpty()) {
      return null;
    }
    if (!found.getFirst().request().equals(request)) {
      throw new AtollException(
          ErrorCode.IDEMPOTENCY_MISMATCH,
          "idempotency key " + key + " was used with another request",
          "use a new key for a new request");
    }
    SandboxInfo row = rows.find(project, found.getFirst().sandbox()).orElse(null);
    if (row != null && row.state() == SandboxState.CREATING) {
      throw new AtollException(
          ErrorCode.CONFLICT, "the first request with this key is still being served", "try again");
    }
    return row;
  }

  /** An idempotency key and the request that it stands for. */
  record Key(String key, String request) {}

  /**
   * Writes the row of a sandbox.
   *
   * @param machine what it lives in; null when that is about to be made
   */
  void register(String project, SandboxInfo info, @Nullable String machine, @Nullable Key key) {
    try {
      store.transaction(
          () -> {
            rows.insert(project, info, machine);
            if (key != null) {
              store.update(
                  "INSERT INTO idempotency (project, key, request, sandbox, created_at) VALUES (?,?,?,?,?)",
                  project,
                  key.key(),
                  key.request(),
                  info.id(),
                  info.createdAt().toEpochMilli());
            }
          });
    } catch (AtollException e) {
      if (e.code() == ErrorCode.CONFLICT && String.valueOf(e.getMessage()).contains("sandboxes.")) {
        throw new AtollException(
            ErrorCode.NAME_TAKEN,
            "there is a living sandbox named " + info.name() + " already",
            "use it, end it, or choose another name");
      }
      throw e;
    }
  }

  /** Forgets a sandbox that could not be made. */
  void unregister(String id) {
    store.transaction(
        () -> {
          rows.delete(id);
          store.update("DELETE FROM idempotency WHERE sandbox=?", id);
        });
  }

  void update(SandboxInfo info) {
    rows.update(info);
  }

  /** Writes a sandbox together with where it is. */
  void move(SandboxInfo info, @Nullable String machine, @Nullable String image) {
    store.transaction(
        () -> {
          rows.update(info);
          rows.place(info.id(), machine, image);
        });
  }

  /** Does several changes as one: all of them or none. */
  void together(Runnable work) {
    store.transaction(work);
  }
}
