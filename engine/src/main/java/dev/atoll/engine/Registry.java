package dev.atoll.engine;

import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.store.FileUrlRows;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.Store;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.QuotaName;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sandboxes that have not ended, and their rows.
 *
 * <p>The database row is the truth. A row is written before anything exists on the host and is
 * marked as ended before anything is removed, so that whatever a crash leaves behind belongs to a
 * row that says what to do with it; see {@link Recovery}.
 */
final class Registry {
  private final Quotas quotas;
  private final Store store;
  private final SandboxRows rows;
  private final FileUrlRows fileUrls;
  private final Map<String, LiveSandbox> live = new ConcurrentHashMap<>();

  Registry(Quotas quotas, Store store, SandboxRows rows) {
    this.quotas = quotas;
    this.store = store;
    this.rows = rows;
    this.fileUrls = new FileUrlRows(store);
    quotas.count(Set.of(QuotaName.SANDBOXES, QuotaName.MEMORY, QuotaName.CPUS), this::charges);
  }

  /** A sandbox that is hibernated takes no memory and no CPU. */
  private Stream<Charge> charges(String project) {
    return live.values().stream()
        .filter(sandbox -> sandbox.project().equals(project))
        .map(LiveSandbox::info)
        .map(
            info ->
                info.state() == SandboxState.HIBERNATED
                    ? Charge.one(QuotaName.SANDBOXES, "sandbox", info.id(), info.name())
                    : Charge.sandbox(info));
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

  /**
   * Keeps places in the project's quotas for sandboxes that are about to run; closed when they are
   * here, or when nothing came of them.
   */
  Hold hold(String project, List<SandboxInfo> sandboxes) {
    return quotas.hold(project, sandboxes.stream().map(Charge::sandbox).toList());
  }

  Hold hold(String project, SandboxInfo sandbox) {
    return hold(project, List.of(sandbox));
  }

  /** The same for a machine in which a snapshot is looked at. */
  Hold holdVisit(String project, SnapshotInfo snapshot) {
    return quotas.hold(
        project,
        Charge.machine(
            "look at " + snapshot.id(),
            Ids.machine(),
            snapshot.name(),
            snapshot.cpus(),
            snapshot.memoryMiB()));
  }

  /** Makes sure that a project may have so many more sandboxes, as things are now. */
  void requireRoom(String project, int more) {
    List<Charge> wanted =
        IntStream.range(0, more)
            .mapToObj(i -> Charge.one(QuotaName.SANDBOXES, "sandbox", "new " + i, null))
            .toList();
    quotas.hold(project, wanted).close();
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
    // A key whose sandbox is not there stands for nothing: its creation was undone.
    SandboxInfo row = rows.find(project, found.getFirst().sandbox()).orElse(null);
    if (row != null && row.state() == SandboxState.CREATING) {
      throw underWay();
    }
    return row;
  }

  private static AtollException underWay() {
    return new AtollException(
        ErrorCode.CONFLICT, "the first request with this key is still being served", "try again");
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
                  "DELETE FROM idempotency WHERE project=? AND key=? AND sandbox NOT IN (SELECT id FROM sandboxes)",
                  project,
                  key.key());
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
      AtollException known = nameTaken(info, e);
      throw known.code() == ErrorCode.CONFLICT && key != null ? underWay() : known;
    }
  }

  private static AtollException nameTaken(SandboxInfo info, AtollException e) {
    boolean taken =
        e.code() == ErrorCode.CONFLICT && String.valueOf(e.getMessage()).contains("sandboxes.");
    return taken
        ? new AtollException(
            ErrorCode.NAME_TAKEN,
            "there is a living sandbox named " + info.name() + " already",
            "use it, end it, or choose another name")
        : e;
  }

  /** Writes that a sandbox that had failed lives again; its row decides who of several does it. */
  void revive(SandboxInfo info, String machine) {
    try {
      store.transaction(
          () -> {
            if (!rows.hasFailed(info.id())) {
              throw new AtollException(
                  ErrorCode.CONFLICT, "sandbox " + info.id() + " has not failed", "try again");
            }
            revert(info, machine);
          });
    } catch (AtollException e) {
      throw nameTaken(info, e);
    }
  }

  /** Forgets a sandbox that could not be made, and the key that would lead to it. */
  void unregister(String id) {
    store.freeing(
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

  /**
   * Writes that a sandbox is in a kept state again. URLs of before are of files that it may never
   * have had.
   */
  void revert(SandboxInfo info, String machine) {
    store.transaction(
        () -> {
          move(info, machine, null);
          fileUrls.delete(info.id());
        });
  }

  /** Writes that a sandbox has ended, which is possible on a full disk too. */
  void end(SandboxInfo info) {
    store.freeing(
        () -> {
          move(info, null, null);
          fileUrls.delete(info.id());
        });
  }

  /** The same for several changes that end or remove something. */
  void freeing(Runnable work) {
    store.freeing(work);
  }

  /** Does several changes as one: all of them or none. */
  void together(Runnable work) {
    store.transaction(work);
  }
}
