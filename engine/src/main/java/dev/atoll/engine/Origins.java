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
import java.util.Map;

/** Finds the state that a new sandbox is to be made from, and sees whether it can be used here. */
final class Origins {
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
        template.recipe().name(),
        template.digest(),
        template.recipe().env(),
        new Machines.Start(driver, template.checkpoint(), templates.isUntouched(template.digest())),
        null,
        null,
        null,
        held.release());
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
                .checkpoint(info.templateDigest(), driver)
                .orElseThrow(() -> incompatible(info, "the template that it was made on is gone"));
    Lease lease = images.open(info.id());
    Checkpoint checkpoint = fresh == null ? new Checkpoint(lease.directory(), rootfs) : fresh;
    return new Origin(
        info.template(),
        info.templateDigest(),
        templates.env(info.templateDigest(), info.template()),
        new Machines.Start(
            driver, checkpoint, !memory && templates.isUntouched(info.templateDigest())),
        info,
        row.tree(),
        memory ? null : lease.directory(),
        lease::close);
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
    Lease lease = images.open(image);
    Checkpoint checkpoint =
        new Checkpoint(lease.directory(), templates.rootfs(info.templateDigest()));
    return new Origin(
        info.template(),
        info.templateDigest(),
        templates.env(info.templateDigest(), info.template()),
        new Machines.Start(driver, checkpoint, false),
        null,
        info.tree(),
        null,
        lease::close);
  }

  /** The driver that a snapshot needs: memory can only be read by the version that wrote it. */
  private Driver driver(SnapshotInfo info) {
    Driver driver =
        drivers
            .named(info.driver())
            .filter(d -> d.probe().available())
            .orElseThrow(
                () -> incompatible(info, "driver " + info.driver() + " does not work here"));
    String version = driver.probe().version();
    if (info.kind() == SnapshotKind.MEMORY && !version.equals(info.driverVersion())) {
      throw incompatible(
          info,
          "it was written by %s %s and this host has %s"
              .formatted(info.driver(), info.driverVersion(), version));
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
