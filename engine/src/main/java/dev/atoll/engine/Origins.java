package dev.atoll.engine;

import dev.atoll.driver.Checkpoint;
import dev.atoll.driver.Driver;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.image.Lease;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.engine.template.TemplateBuilder.Template;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/** Finds the state that a new sandbox is to be made from, and sees whether it can be used here. */
final class Origins {
  private static final String STATE_LOST =
      "delete it and use another one, as `atoll snapshot ls` and `atoll tree` show them; nothing else is lost";

  private final String defaultTemplate;
  private final DriverChoice drivers;
  private final Templates templates;
  private final SnapshotRows snapshots;
  private final ImageStore images;

  Origins(
      String defaultTemplate,
      DriverChoice drivers,
      Templates templates,
      SnapshotRows snapshots,
      ImageStore images) {
    this.defaultTemplate = defaultTemplate;
    this.drivers = drivers;
    this.templates = templates;
    this.snapshots = snapshots;
    this.images = images;
  }

  Origin of(String project, SandboxSpec spec) {
    String snapshot = spec.snapshot();
    return snapshot == null ? template(project, spec) : snapshot(row(project, snapshot));
  }

  private Origin template(String project, SandboxSpec spec) {
    Driver driver = drivers.of(spec.isolation() == null ? Isolation.AUTO : spec.isolation());
    String name = spec.template() == null ? defaultTemplate : spec.template();
    Templates.Held held = templates.ready(project, name, driver);
    Template template = held.template();
    return new Origin(
        held.name(),
        template.digest(),
        template.recipe().env(),
        new Machines.Start(driver, template.checkpoint(), templates.isUntouched(template.digest())),
        null,
        null,
        null,
        held.release());
  }

  /** After a sandbox could not be made from a template: see {@link Templates#mend}. */
  boolean mend(String project, SandboxSpec spec, Instant since) {
    return spec.snapshot() == null
        && templates.mend(
            project,
            spec.template() == null ? defaultTemplate : spec.template(),
            drivers.of(spec.isolation() == null ? Isolation.AUTO : spec.isolation()),
            since);
  }

  SnapshotRows.Row row(String project, String idOrName) {
    return snapshots
        .find(project, idOrName)
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.SNAPSHOT_NOT_FOUND,
                    "there is no snapshot " + idOrName,
                    "list them with `atoll snapshot ls`"));
  }

  Origin snapshot(SnapshotRows.Row row) {
    Runnable release = templates.hold(row.info().templateDigest());
    boolean done = false;
    try {
      Origin origin = snapshot(row, release);
      done = true;
      return origin;
    } finally {
      if (!done) {
        release.run();
      }
    }
  }

  private Origin snapshot(SnapshotRows.Row row, Runnable release) {
    SnapshotInfo info = row.info();
    Driver driver = driver(info);
    Path rootfs = templates.rootfs(info.templateDigest());
    if (!Files.isDirectory(rootfs)) {
      throw incompatible(info, "the root file system that it was made on is gone");
    }
    boolean memory = info.kind() == SnapshotKind.MEMORY;
    Checkpoint fresh =
        memory
            ? null
            : templates
                .checkpoint(row.project(), info.templateDigest(), driver)
                .or(() -> templates.boot(row.project(), info.templateDigest(), driver))
                .orElseThrow(() -> incompatible(info, "the template that it was made on is gone"));
    Lease lease = open(info.id(), "snapshot " + info.id(), STATE_LOST);
    Checkpoint checkpoint = fresh == null ? new Checkpoint(lease.directory(), rootfs) : fresh;
    return new Origin(
        info.template(),
        info.templateDigest(),
        templates.env(info.templateDigest(), info.template()),
        new Machines.Start(
            driver,
            checkpoint,
            !memory && templates.isUntouched(info.templateDigest()),
            e -> memory ? explained(e, info.id(), "snapshot " + info.id(), STATE_LOST) : e),
        info,
        row.tree(),
        memory ? null : lease.directory(),
        () -> {
          lease.close();
          release.run();
        });
  }

  /** The root file system that a sandbox stands on. */
  Path rootfs(String digest) {
    return templates.rootfs(digest);
  }

  /** Where a hibernated sandbox sleeps. */
  Origin image(SandboxInfo info, String image) {
    Driver driver =
        drivers
            .named(info.driver())
            .orElseThrow(
                () ->
                    new AtollException(
                        ErrorCode.DRIVER_UNAVAILABLE,
                        "driver %s of sandbox %s is not configured"
                            .formatted(info.driver(), info.id())));
    String what = "the state in which sandbox " + info.id() + " sleeps";
    String hint =
        "`atoll rewind --steps 0 %s` brings it back to the newest snapshot that is kept of it; nothing else is lost"
            .formatted(info.id());
    Lease lease = open(image, what, hint);
    Checkpoint checkpoint =
        new Checkpoint(lease.directory(), templates.rootfs(info.templateDigest()));
    return new Origin(
        info.template(),
        info.templateDigest(),
        templates.env(info.templateDigest(), info.template()),
        new Machines.Start(driver, checkpoint, false, e -> explained(e, image, what, hint)),
        null,
        info.tree(),
        null,
        lease::close);
  }

  private Lease open(String image, String what, String hint) {
    try {
      return images.open(image);
    } catch (RuntimeException e) {
      throw explained(e, image, what, hint);
    }
  }

  /** Whether damaged files are behind a failure. */
  private RuntimeException explained(RuntimeException e, String image, String what, String hint) {
    return images
        .damage(image)
        .<RuntimeException>map(
            damage ->
                new AtollException(
                    ErrorCode.SNAPSHOT_DAMAGED,
                    what + " is damaged: " + damage,
                    hint,
                    Map.of("image", image),
                    e))
        .orElse(e);
  }

  /** The driver that a snapshot needs: memory can only be read by the version that wrote it. */
  private Driver driver(SnapshotInfo info) {
    Driver driver =
        drivers
            .named(info.driver())
            .filter(d -> d.probe().available())
            .orElseThrow(
                () -> incompatible(info, "driver " + info.driver() + " does not work here"));
    if (info.kind() == SnapshotKind.MEMORY) {
      driver.requireReadable(info.driverVersion());
    }
    return driver;
  }

  private static AtollException incompatible(SnapshotInfo info, String why) {
    return new AtollException(
        ErrorCode.SNAPSHOT_INCOMPATIBLE,
        "snapshot " + info.id() + " cannot be restored: " + why,
        "make a new snapshot on this host, or use one of kind files",
        Map.of("driver", info.driver(), "driverVersion", info.driverVersion()),
        null);
  }
}
