package dev.atoll.engine;

import dev.atoll.engine.quota.Charge;
import dev.atoll.engine.quota.Quotas;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.SandboxInfo;
import org.jspecify.annotations.Nullable;

/** A pool that a project has asked for. */
record PoolPlan(
    String project,
    String pool,
    PoolSpec spec,
    SandboxDefaults defaults,
    Templates templates,
    Origins origins,
    Quotas quotas)
    implements WarmPool.Plan {

  @Override
  public @Nullable String digest() {
    String snapshot = spec.snapshot();
    return snapshot != null
        ? origins.row(project, snapshot).info().templateDigest()
        : templates.digest(
            project, spec.template() == null ? defaults.template() : spec.template());
  }

  @Override
  public Origin origin() {
    return origins.of(project, spec.sandbox());
  }

  @Override
  public SandboxInfo sandbox(String id, Origin origin) {
    return new NewSandbox(defaults).of(id, spec.sandbox(), origin, pool);
  }

  /** What a machine takes from the project of its pool while it waits. */
  Charge charge(SandboxInfo blank) {
    return Charge.machine(
        "pool",
        blank.id(),
        "in " + (spec.name() == null ? pool : spec.name()),
        blank.cpus(),
        blank.memoryMiB());
  }

  @Override
  public Runnable hold(SandboxInfo blank) {
    return quotas.hold(project, charge(blank))::close;
  }

  @Override
  public boolean fits(SandboxInfo info) {
    return false;
  }
}
