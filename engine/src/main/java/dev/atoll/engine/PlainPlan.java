package dev.atoll.engine;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import org.jspecify.annotations.Nullable;

/**
 * Plain sandboxes of a template: with the default limits, and nothing else that has to be known
 * before somebody asks.
 *
 * @param project whose template it is
 */
record PlainPlan(
    String project,
    String template,
    SandboxDefaults defaults,
    Templates templates,
    DriverChoice drivers,
    Origins origins)
    implements WarmPool.Plan {

  /** Nothing is built for a pool that nobody asked for; it begins when the template is there. */
  @Override
  public @Nullable String digest() {
    String digest = templates.digest(project, template);
    boolean built =
        drivers.first().filter(driver -> templates.builder().isBuilt(digest, driver)).isPresent();
    return built ? digest : null;
  }

  @Override
  public Origin origin() {
    return origins.of(project, SandboxSpec.of(template));
  }

  @Override
  public SandboxInfo sandbox(String id, Origin origin) {
    return new NewSandbox(defaults).of(id, SandboxSpec.of(template), origin, null);
  }

  @Override
  public boolean fits(SandboxInfo info) {
    return info.snapshot() == null
        && info.template().equals(template)
        && info.cpus() == defaults.cpus()
        && info.memoryMiB() == defaults.memoryMiB()
        && info.diskMiB() == defaults.diskMiB()
        && info.processes() == defaults.processes();
  }
}
