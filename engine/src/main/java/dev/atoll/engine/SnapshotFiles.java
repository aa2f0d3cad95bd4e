package dev.atoll.engine;

import dev.atoll.engine.files.FileLayer;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the files of snapshots that hold memory: they are in the memory, so a machine is started
 * for a moment that can read them.
 */
record SnapshotFiles(Machines machines, Origins origins) {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);

  /**
   * Packs what a snapshot has beyond its template.
   *
   * @return null when it holds no memory, or cannot be started here
   */
  @Nullable Path pack(SnapshotRows.Row row, Path target) {
    SnapshotInfo info = row.info();
    if (info.kind() != SnapshotKind.MEMORY) {
      return null;
    }
    try (Origin origin = origins.snapshot(row)) {
      Identity identity =
          new Identity(
              info.id(),
              origin.templateEnv(),
              Identity.limits(info.cpus(), info.memoryMiB(), info.diskMiB(), info.processes()));
      Incarnation visitor = machines.start(origin, identity);
      try {
        long _ =
            FileLayer.pack(
                Objects.requireNonNull(visitor.guest()),
                origins.rootfs(info.templateDigest()),
                target);
        return target;
      } finally {
        machines.remove(visitor);
      }
    } catch (AtollException e) {
      // Why is what a guest has printed; it goes to nobody.
      LOG.warn("snapshot {} is exported without its files: {}", info.id(), e.code().wire());
      Trees.delete(target);
      return null;
    }
  }
}
