package dev.atoll.server;

import dev.atoll.engine.Sandboxes;
import dev.atoll.model.SandboxState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** How many sandboxes there are in each state, counted when somebody looks. */
record SandboxGauges(Sandboxes sandboxes) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    for (SandboxState state : SandboxState.values()) {
      Gauge.builder("atoll.sandboxes", () -> sandboxes.counts().getOrDefault(state, 0L))
          .description("Sandboxes of all projects that have a machine")
          .tag("state", state.wire())
          .register(registry);
    }
  }
}
