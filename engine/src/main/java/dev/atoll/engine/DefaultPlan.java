package dev.atoll.engine;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import org.jspecify.annotations.Nullable;

/** The pool from which plain creates are served: the default template with the default limits. */
record DefaultPlan(
    SandboxDefaults defaults, Templates templates, DriverChoice drivers, Origins origins)
    implements WarmPool.Plan {

  /** Nothing is built for a pool that nobody asked for; it begins when the template is there. */
  @Override
  public @Nullable String digest() {
    String digest = templates.digest("", defaults.template());
    boolean built =
        drivers.first().flatMap(driver -> templates.checkpoint(digest, driver)).isPresent();
    return built ? digest : null;
  }

  @Override
  public Origin origin() {
    return origins.of("", SandboxSpec.defaults());
  }

  @Override
  public SandboxInfo sandbox(String id, Origin origin) {
    return new NewSandbox(defaults).of(id, SandboxSpec.defaults(), origin, null);
  }

  @Override
  public boolean fits(SandboxInfo info) {
    return info.snapshot() == null
        && info.template().equals(defaults.template())
        && info.cpus() == defaults.cpus()
        && info.memoryMiB() == defaults.memoryMiB()
        && info.diskMiB() == defaults.diskMiB()
        && info.processes() == defaults.processes();
  }
}
