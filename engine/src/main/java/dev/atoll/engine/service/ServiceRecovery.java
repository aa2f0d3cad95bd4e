package dev.atoll.engine.service;

import dev.atoll.engine.store.ServiceRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.InstanceState;
import dev.atoll.model.RevisionState;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.ServiceRevision;
import dev.atoll.model.SnapshotInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts services in order when a server starts: instances of the revision that serves are taken
 * over; what belongs to a deployment or a deletion that did not end is removed. Also removes what
 * is left of a service.
 */
record ServiceRecovery(Parts parts) {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceRecovery.class);

  /** The service as it goes on; null when it is gone. */
  @Nullable LiveService recover(ServiceRows.Row row) {
    if (row.deleting() || row.revision() == 0) {
      remove(row.id(), row.project());
      return null;
    }
    LiveService live = new LiveService(row, ServiceLog.of(row, parts.folder()), parts);
    for (ServiceRevision revision : parts.rows().revisions(row.id())) {
      recover(live, row, revision);
    }
    for (ServiceRows.Instance instance : parts.rows().instances(row.id())) {
      recover(live, row, instance);
    }
    return live;
  }

  private void recover(LiveService live, ServiceRows.Row row, ServiceRevision revision) {
    String name = String.valueOf(revision.snapshot());
    if (revision.number() == row.revision() || revision.number() == row.previous()) {
      try {
        SnapshotInfo snapshot = parts.snapshots().get(row.project(), name);
        parts.owned().put(snapshot.id(), live.name());
        if (revision.number() == row.revision()) {
          live.madeFrom(snapshot.id());
        } else {
          live.servedBefore(new LiveService.Serving(revision.number(), snapshot.id()));
        }
      } catch (AtollException e) {
        LOG.warn(
            "the snapshot of revision {} of service {} is gone", revision.number(), live.name());
      }
      return;
    }
    removeSnapshot(row.project(), name);
    if (revision.state() == RevisionState.BUILDING) {
      parts.rows().failed(row.id(), revision.number(), "the server was stopped");
    }
  }

  private void recover(LiveService live, ServiceRows.Row row, ServiceRows.Instance left) {
    SandboxInfo sandbox = living(row.project(), left.name());
    if (sandbox == null || left.sandbox() == null || left.revision() != row.revision()) {
      end(row.project(), left.name());
      return;
    }
    Instance instance = new Instance(left.name(), left.revision());
    instance.sandbox = sandbox.id();
    parts.owned().put(sandbox.id(), live.name());
    switch (sandbox.state()) {
      case HIBERNATED -> instance.state = InstanceState.HIBERNATED;
      case CREATING, RUNNING, PAUSED, TERMINATED, FAILED -> {}
    }
    live.adopt(instance);
  }

  private @Nullable SandboxInfo living(String project, String name) {
    try {
      SandboxInfo found = parts.sandboxes().get(project, name);
      return switch (found.state()) {
        case RUNNING, PAUSED, HIBERNATED, CREATING -> found;
        case TERMINATED, FAILED -> null;
      };
    } catch (AtollException e) {
      return null;
    }
  }

  private void end(String project, String name) {
    SandboxInfo sandbox = living(project, name);
    if (sandbox != null) {
      parts.sandboxes().end(project, sandbox.id());
      parts.owned().remove(sandbox.id());
    }
    parts.rows().deleteInstance(name);
  }

  /** Removes all that is left of a service. */
  void remove(String id, String project) {
    List<ServiceRows.Instance> instances = parts.rows().instances(id);
    instances.forEach(instance -> end(project, instance.name()));
    for (ServiceRevision revision : parts.rows().revisions(id)) {
      removeSnapshot(project, String.valueOf(revision.snapshot()));
    }
    deleteFolder(parts.folder().resolve(id));
    parts.rows().delete(id);
  }

  private void removeSnapshot(String project, String name) {
    try {
      SnapshotInfo snapshot = parts.snapshots().get(project, name);
      parts.snapshots().remove(project, snapshot.id());
      parts.owned().remove(snapshot.id());
    } catch (AtollException e) {
      // It was removed before, or never taken.
    }
  }

  /** Removes the files of services that are no more. */
  void sweep(Set<String> known) {
    if (!Files.isDirectory(parts.folder())) {
      return;
    }
    try (Stream<Path> folders = Files.list(parts.folder())) {
      folders
          .filter(folder -> !known.contains(folder.getFileName().toString()))
          .forEach(ServiceRecovery::deleteFolder);
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", parts.folder(), e.getMessage());
    }
  }

  /** It is flat: nothing but the two files of a log. */
  private static void deleteFolder(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", folder, e.getMessage());
    }
  }
}
