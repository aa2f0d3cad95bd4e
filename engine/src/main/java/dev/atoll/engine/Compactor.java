package dev.atoll.engine;

import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotState;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds in the background what a new snapshot shares with its relatives, one snapshot at a time. A
 * snapshot works the same before and after; one that is never compacted only takes more room.
 */
final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  private final ImageStore images;
  private final SnapshotRows rows;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("compactor").factory());
  private volatile boolean closed;

  Compactor(ImageStore images, SnapshotRows rows) {
    this.images = images;
    this.rows = rows;
  }

  void later(String project, SnapshotInfo snapshot) {
    try {
      thread.execute(() -> compact(project, snapshot));
    } catch (RejectedExecutionException e) {
      LOG.debug("snapshot {} stays whole, the server is stopping", snapshot.id());
    }
  }

  private void compact(String project, SnapshotInfo snapshot) {
    try {
      // It may have been deleted since.
      if (!closed && rows.find(project, snapshot.id()).isPresent()) {
        images.compact(snapshot.id());
        var size = images.size(snapshot.id());
        rows.update(snapshot.with(SnapshotState.READY, size.totalBytes(), size.ownBytes()));
        images.trim();
      }
    } catch (RuntimeException e) {
      LOG.warn("snapshot {} could not be compacted and stays whole", snapshot.id(), e);
    }
  }

  void close() {
    closed = true;
    thread.shutdown();
    try {
      if (!thread.awaitTermination(60, TimeUnit.SECONDS)) {
        LOG.warn("a snapshot is still being compacted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
