package dev.atoll.engine;

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
    Origins origins)
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

  @Override
  public boolean fits(SandboxInfo info) {
    return false;
  }
}
