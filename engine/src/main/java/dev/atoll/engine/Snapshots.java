package dev.atoll.engine;

import dev.atoll.engine.files.FileLayer;
import dev.atoll.engine.image.ImageSize;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.image.Lease;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Page;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.SnapshotState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** States of sandboxes that are kept on disk. */
public final class Snapshots {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  private final StateSettings settings;
  private final SnapshotRows rows;
  private final SandboxRows sandboxRows;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final ImageStore images;
  private final Templates templates;
  private final DriverChoice drivers;
  private final Origins origins;
  private final Compactor compactor;
  private final SnapshotFiles files;
  private final TrustedServers servers;
  private final UnusedRoots roots;
  private final DiskRoom room;
  private final Quotas quotas;
  private final DiskUse disk;
  private volatile Keeping keeping = Keeping.NOTHING;

  Snapshots(
      StateSettings settings,
      SnapshotRows rows,
      SandboxRows sandboxRows,
      Registry registry,
      Lifecycle lifecycle,
      ImageStore images,
      Templates templates,
      DriverChoice drivers,
      Origins origins,
      SnapshotFiles files,
      TrustedServers servers,
      DiskRoom room,
      Quotas quotas,
      DiskUse disk) {
    this.room = room;
    this.settings = settings;
    this.rows = rows;
    this.sandboxRows = sandboxRows;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.images = images;
    this.templates = templates;
    this.drivers = drivers;
    this.origins = origins;
    this.compactor = new Compactor(images, rows);
    this.files = files;
    this.servers = servers;
    this.quotas = quotas;
    this.disk = disk;
    this.roots = new UnusedRoots(templates, registry, rows);
    roots.remove();
  }

  /** Keeps the state that a sandbox has now; the sandbox goes on. */
  public SnapshotInfo create(String project, String sandbox, SnapshotRequest request) {
    LiveSandbox live = registry.require(project, sandbox);
    requireRoom(project);
    return take(live, request, null);
  }

  /** The run after which a checkpoint is taken by itself. */
  record Cause(@Nullable String run, String note) {}

  /** Keeps the state of a sandbox; with a cause it is an automatic checkpoint. */
  SnapshotInfo take(LiveSandbox sandbox, SnapshotRequest request, @Nullable Cause cause) {
    sandbox.lock.lock();
    try {
      lifecycle.requireLiving(sandbox);
      SnapshotInfo begun = describe(sandbox.info(), version(sandbox), request, cause);
      try (Hold _ = hold(sandbox, begun, 0)) {
        return take(sandbox, begun);
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** How large it is, is known when it is written: one that does not fit is undone. */
  private Hold hold(LiveSandbox sandbox, SnapshotInfo snapshot, long bytes) {
    return quotas.hold(sandbox.project(), DiskUse.snapshot(snapshot.id(), snapshot.name(), bytes));
  }

  private SnapshotInfo take(LiveSandbox sandbox, SnapshotInfo begun) {
    insert(sandbox, begun);
    boolean done = false;
    try {
      ImageSize size = room.telling(() -> keep(sandbox, begun));
      SnapshotInfo ready = begun.with(SnapshotState.READY, size.totalBytes(), size.ownBytes());
      try (Hold _ = hold(sandbox, begun, size.ownBytes())) {
        SandboxInfo _ =
            sandbox.change(
                i -> i.withSnapshot(ready.id()),
                changed ->
                    registry.together(
                        () -> {
                          rows.update(ready);
                          registry.update(changed);
                        }));
      }
      done = true;
      compactor.later(sandbox.project(), ready);
      return ready;
    } finally {
      if (!done) {
        undo(begun);
      }
    }
  }

  private ImageSize keep(LiveSandbox sandbox, SnapshotInfo begun) {
    write(sandbox, begun);
    return images.add(begun.id(), parentImage(begun));
  }

  /** What cannot be undone now is at the next start; the failure that led here is what counts. */
  private void undo(SnapshotInfo begun) {
    images.undo(begun.id());
    try {
      rows.delete(begun.id());
    } catch (AtollException e) {
      LOG.warn("snapshot {} is undone at the next start: {}", begun.id(), e.getMessage());
    }
  }

  private @Nullable String parentImage(SnapshotInfo snapshot) {
    String parent = snapshot.parent();
    return parent != null && images.exists(parent) ? parent : null;
  }

  private void insert(LiveSandbox sandbox, SnapshotInfo info) {
    try {
      rows.insert(new SnapshotRows.Row(sandbox.project(), sandbox.info().tree(), info));
    } catch (AtollException e) {
      throw nameTaken(e, info.name());
    }
  }

  private static AtollException nameTaken(AtollException e, @Nullable String name) {
    return e.code() != ErrorCode.CONFLICT
        ? e
        : new AtollException(
            ErrorCode.NAME_TAKEN,
            "there is a snapshot named " + name + " already",
            "delete it, or choose another name");
  }

  /** The version of the driver that a sandbox's state needs, which may be an earlier one. */
  private String version(LiveSandbox sandbox) {
    Incarnation body = sandbox.incarnation();
    if (body != null) {
      return body.machine().version();
    }
    String image = sandbox.image();
    return drivers
        .named(sandbox.info().driver())
        .flatMap(
            driver ->
                Optional.ofNullable(image)
                    .flatMap(id -> images.text(id, driver.versionFile()))
                    .or(() -> Optional.of(driver.probe().version())))
        .orElse("");
  }

  private SnapshotInfo describe(
      SandboxInfo sandbox, String version, SnapshotRequest request, @Nullable Cause cause) {
    return new SnapshotInfo(
        Ids.snapshot(),
        request.name(),
        request.kind(),
        SnapshotState.CREATING,
        cause != null,
        sandbox.id(),
        sandbox.snapshot(),
        cause == null ? null : cause.run(),
        cause == null ? null : cause.note(),
        sandbox.template(),
        sandbox.templateDigest(),
        sandbox.isolation(),
        sandbox.driver(),
        version,
        sandbox.cpus(),
        sandbox.memoryMiB(),
        sandbox.diskMiB(),
        sandbox.processes(),
        sandbox.env(),
        request.labels(),
        NewSandbox.now(),
        0,
        0);
  }

  private void write(LiveSandbox sandbox, SnapshotInfo info) {
    Path aside = images.aside(info.id());
    boolean files = info.kind() == SnapshotKind.FILES;
    SandboxState state = sandbox.info().state();
    if (state == SandboxState.HIBERNATED && !files) {
      link(sandbox, aside);
      return;
    }
    if (state != SandboxState.RUNNING) {
      lifecycle.wake(sandbox);
    }
    if (files) {
      FileLayer.pack(sandbox.guest(), templates.rootfs(info.templateDigest()), aside);
    } else {
      Incarnation body = sandbox.body();
      var _ = lifecycle.freeze(sandbox, () -> body.machine().checkpoint(aside, true), true);
    }
    if (state == SandboxState.PAUSED) {
      lifecycle.pause(sandbox);
    }
  }

  /** A sandbox that sleeps is on disk already; images are never written to once they exist. */
  private void link(LiveSandbox sandbox, Path aside) {
    String image = sandbox.image();
    if (image == null) {
      throw sandbox.notRunning();
    }
    try (Lease lease = images.open(image);
        DirectoryStream<Path> files = Files.newDirectoryStream(lease.directory())) {
      Files.createDirectories(aside);
      for (Path file : files) {
        Files.createLink(aside.resolve(file.getFileName()), file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void requireRoom(String project) {
    SnapshotRows.Usage usage = rows.usage(project);
    if (usage.count() >= settings.maxSnapshots() || usage.bytes() >= settings.maxSnapshotBytes()) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "the project has %d snapshots with %d MiB; it may have %d and %d MiB"
              .formatted(
                  usage.count(),
                  usage.bytes() >> 20,
                  settings.maxSnapshots(),
                  settings.maxSnapshotBytes() >> 20),
          "delete some of them, or raise snapshot.max-per-project or snapshot.max-disk",
          Map.of("limit", settings.maxSnapshots(), "limitBytes", settings.maxSnapshotBytes()),
          null);
    }
  }

  public SnapshotInfo get(String project, String idOrName) {
    return measured(origins.row(project, idOrName).info());
  }

  public Page<SnapshotInfo> list(String project, SnapshotQuery query) {
    String sandbox = query.sandbox();
    SnapshotQuery resolved =
        sandbox == null
            ? query
            : new SnapshotQuery(
                query.limit(),
                query.cursor(),
                idOf(project, sandbox),
                query.name(),
                query.kinds(),
                query.automatic(),
                query.labels());
    Page<SnapshotInfo> page = rows.list(project, resolved);
    return new Page<>(page.items().stream().map(this::measured).toList(), page.nextCursor());
  }

  /** Snapshots outlive the row of their sandbox, so an id need not be known. */
  private String idOf(String project, String sandbox) {
    return sandboxRows
        .find(project, sandbox)
        .map(SandboxInfo::id)
        .or(() -> Optional.of(sandbox).filter(id -> id.startsWith("sbx_")))
        .orElseThrow(() -> Registry.unknown(sandbox));
  }

  private SnapshotInfo measured(SnapshotInfo info) {
    if (!images.exists(info.id())) {
      return info;
    }
    ImageSize size = images.size(info.id());
    return info.with(info.state(), size.totalBytes(), size.ownBytes());
  }

  /** Deletes a snapshot; what others share with it stays for as long as they need it. */
  public void delete(String project, String idOrName) {
    SnapshotInfo info = origins.row(project, idOrName).info();
    keeping.requireFree(info.id());
    drop(info);
  }

  /** Deletes a snapshot also when it is part of something. */
  public void remove(String project, String idOrName) {
    drop(origins.row(project, idOrName).info());
  }

  /** Says what keeps things from their owner's accidents; see {@link Keeping}. */
  void keep(Keeping newKeeping) {
    keeping = newKeeping;
  }

  /** Says what else needs root file systems than sandboxes and snapshots. */
  void keepRoots(Supplier<Set<String>> others) {
    roots.keep(others);
  }

  void drop(SnapshotInfo info) {
    rows.delete(info.id());
    images.delete(info.id());
    roots.remove();
  }

  /** To be called when a sandbox has ended: it may have been the last on its root file system. */
  void ended() {
    roots.remove();
  }

  /** Deletes what is older than the retention allows. */
  void expire() {
    roots.remove();
    if (settings.retention() == null) {
      return;
    }
    for (SnapshotRows.Row row : rows.before(Instant.now().minus(settings.retention()))) {
      if (keeping.keeps(row.info().id())) {
        continue;
      }
      LOG.info("snapshot {} is older than the retention allows: deleted", row.info().id());
      drop(row.info());
    }
  }

  /** Writes a snapshot as one file that another host can import. */
  public void export(String project, String idOrName, OutputStream out) {
    SnapshotRows.Row row = origins.row(project, idOrName);
    if (row.info().kind() != SnapshotKind.MEMORY) {
      transfer().export(row, files, out);
      return;
    }
    try (Hold _ = registry.holdVisit(project, row.info())) {
      transfer().export(row, files, out);
    }
  }

  private SnapshotTransfer transfer() {
    return new SnapshotTransfer(rows, images, templates, servers, quotas, disk);
  }

  /**
   * Takes in a snapshot that a host has exported: whole if a server that is trusted has signed it,
   * else its files. The note of the snapshot says which, and why.
   *
   * @param wanted what it must become; null for whatever is possible
   */
  public SnapshotInfo importFrom(
      String project, InputStream in, @Nullable String name, @Nullable SnapshotKind wanted) {
    requireRoom(project);
    try (Hold _ = quotas.hold(project, DiskUse.snapshot(Ids.snapshot(), name, 0))) {
      return transfer().importFrom(project, in, name, wanted);
    } catch (AtollException e) {
      roots.remove();
      throw nameTaken(e, name);
    }
  }

  void close() {
    compactor.close();
  }
}
