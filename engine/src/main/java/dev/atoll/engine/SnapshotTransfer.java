package dev.atoll.engine;

import dev.atoll.engine.image.ImageSize;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.SnapshotState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Moves snapshots between hosts. The root file system travels along, since two hosts that built the
 * same recipe at different times have different packages in it.
 */
record SnapshotTransfer(SnapshotRows rows, ImageStore images, Templates templates) {

  void export(SnapshotRows.Row row, OutputStream out) {
    SnapshotInfo info = row.info();
    try {
      images.write(
          info.id(),
          out,
          Json.lenient().writeValueAsBytes(info),
          templates.rootfs(info.templateDigest()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  SnapshotInfo importFrom(String project, InputStream in, @Nullable String name) {
    String id = Ids.snapshot();
    Path aside = templates.aside();
    boolean done = false;
    try {
      ImageStore.Imported imported =
          images.read(
              id,
              in,
              print -> templates.withFingerprint(print).isPresent(),
              aside.resolve("rootfs"));
      String digest = templates.install(imported.rootfsFingerprint(), aside.resolve("rootfs"));
      SnapshotInfo ready = describe(id, name, digest, imported);
      // The first state of a family of its own, whatever it was where it came from.
      rows.insert(new SnapshotRows.Row(project, id, ready));
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
      Trees.delete(aside);
      if (!done && images.exists(id)) {
        images.delete(id);
      }
    }
  }

  /** The description came from outside: it must be one that could have been made here. */
  private static void validate(SnapshotInfo from) {
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
    if (from.driver() == null || from.driverVersion() == null || from.sandbox() == null) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "the file does not say what the snapshot was made with");
    }
  }

  private SnapshotInfo describe(
      String id, @Nullable String name, String digest, ImageStore.Imported imported) {
    SnapshotInfo from;
    try {
      from = Json.lenient().readValue(imported.description(), SnapshotInfo.class);
    } catch (JacksonException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "the file holds no description of a snapshot");
    }
    validate(from);
    ImageSize size = images.size(id);
    return new SnapshotInfo(
        id,
        name,
        from.kind(),
        SnapshotState.READY,
        false,
        from.sandbox(),
        null,
        null,
        from.note(),
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
