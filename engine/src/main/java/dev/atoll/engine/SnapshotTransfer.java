package dev.atoll.engine;

import dev.atoll.engine.image.ImageSize;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.SnapshotState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Moves snapshots between hosts. The root file system travels along, since two hosts that built the
 * same recipe at different times have different packages in it.
 */
record SnapshotTransfer(
    SnapshotRows rows,
    ImageStore images,
    Templates templates,
    TrustedServers servers,
    Quotas quotas,
    DiskUse disk) {

  /** Writes a snapshot, with its files apart from memory where they can be had. */
  void export(SnapshotRows.Row row, SnapshotFiles files, OutputStream out) {
    SnapshotInfo info = row.info();
    Path aside = templates.aside();
    try {
      images.write(
          info.id(),
          out,
          Json.lenient().writeValueAsBytes(info),
          files.pack(row, aside.resolve("files")),
          templates.rootfs(info.templateDigest()),
          servers.own());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Trees.delete(aside);
    }
  }

  /**
   * Takes in a snapshot. Memory is read by a decoder that was not made for strangers, so it is
   * taken from servers alone that are trusted; of others, the files are.
   *
   * @param wanted what it must become; null for whatever is possible
   */
  SnapshotInfo importFrom(
      String project, InputStream in, @Nullable String name, @Nullable SnapshotKind wanted) {
    String id = Ids.snapshot();
    Path aside = templates.aside();
    boolean done = false;
    Runnable release = () -> {};
    AtomicReference<String> server = new AtomicReference<>();
    try {
      ImageStore.Imported imported =
          images.read(
              id,
              in,
              print -> templates.withFingerprint(print).isPresent(),
              aside.resolve("rootfs"),
              signer -> {
                servers.name(signer).ifPresent(server::set);
                return server.get() != null && wanted != SnapshotKind.FILES;
              });
      SnapshotInfo from = read(imported.description());
      SnapshotKind kind = kind(from, imported, wanted, server.get());
      Templates.Root root =
          templates.install(imported.rootfsFingerprint(), aside.resolve("rootfs"));
      release = root.release();
      SnapshotInfo ready =
          describe(id, name, kind, note(kind, wanted, server.get()), root.digest(), from);
      // The first state of a family of its own, whatever it was where it came from.
      try (Hold _ = quotas.hold(project, disk.imported(id, name, root.digest()))) {
        rows.insert(new SnapshotRows.Row(project, id, ready));
      }
      done = true;
      return ready;
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST,
          "the upload broke off: " + e.getMessage(),
          "send it again",
          Map.of(),
          e);
    } finally {
      release.run();
      Trees.delete(aside);
      if (!done && images.exists(id)) {
        images.delete(id);
      }
    }
  }

  /** The description came from outside: it must be one that could have been made here. */
  private static void validate(@Nullable SnapshotInfo from) {
    if (from == null) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "the file holds no description of a snapshot");
    }
    new SandboxSpec(
        null,
        from.template(),
        from.cpus(),
        from.memoryMiB(),
        from.diskMiB(),
        from.processes(),
        from.env(),
        null,
        null,
        null,
        null,
        from.isolation(),
        null,
        null,
        null,
        null,
        null,
        null);
    new SnapshotRequest(null, from.labels(), from.kind());
    if (from.kind() == null
        || from.driver() == null
        || from.driverVersion() == null
        || from.sandbox() == null) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "the file does not say what the snapshot was made with");
    }
  }

  private static SnapshotInfo read(byte[] description) {
    try {
      SnapshotInfo from = Json.lenient().readValue(description, SnapshotInfo.class);
      validate(from);
      return from;
    } catch (JacksonException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "the file holds no description of a snapshot");
    }
  }

  /** What a snapshot becomes here. */
  private static SnapshotKind kind(
      SnapshotInfo from,
      ImageStore.Imported imported,
      @Nullable SnapshotKind wanted,
      @Nullable String server) {
    boolean memory = from.kind() == SnapshotKind.MEMORY;
    if (memory && imported.whole()) {
      return SnapshotKind.MEMORY;
    }
    if (wanted == SnapshotKind.MEMORY || (memory && !imported.standIn())) {
      throw new AtollException(
          ErrorCode.SNAPSHOT_UNTRUSTED,
          !memory
              ? "the snapshot holds files and no memory"
              : server == null
                  ? "the snapshot holds memory, and no server that is trusted here has signed it"
                  : "the snapshot holds memory and no files apart from it",
          "export it from a server of this version, which adds its files, or a snapshot of kind"
              + " files; or let the administrator trust that server, see docs/state.md");
    }
    return SnapshotKind.FILES;
  }

  private static String note(
      SnapshotKind kind, @Nullable SnapshotKind wanted, @Nullable String server) {
    if (kind == SnapshotKind.MEMORY) {
      return "imported whole: signed by " + server;
    }
    return wanted == SnapshotKind.FILES || server != null
        ? "imported as files: " + (server == null ? "as asked for" : "signed by " + server)
        : "imported as files: no server that is trusted here has signed it";
  }

  private SnapshotInfo describe(
      String id,
      @Nullable String name,
      SnapshotKind kind,
      String note,
      String digest,
      SnapshotInfo from) {
    ImageSize size = images.size(id);
    return new SnapshotInfo(
        id,
        name,
        kind,
        SnapshotState.READY,
        false,
        from.sandbox(),
        null,
        null,
        note,
        from.template(),
        digest,
        from.isolation(),
        from.driver(),
        from.driverVersion(),
        from.cpus(),
        from.memoryMiB(),
        from.diskMiB(),
        from.processes(),
        from.env(),
        from.labels(),
        NewSandbox.now(),
        size.totalBytes(),
        size.ownBytes());
  }
}
