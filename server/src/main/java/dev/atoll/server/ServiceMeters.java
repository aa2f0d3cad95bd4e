package dev.atoll.server;

import dev.atoll.engine.service.Services;
import dev.atoll.model.InstanceState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** How the services of all projects do. */
record ServiceMeters(Services services) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("atoll.services", () -> services.totals().services())
        .description("Services")
        .register(registry);
    Gauge.builder("atoll.services.waiting", () -> services.totals().waiting())
        .description("Requests that wait for an instance")
        .register(registry);
    for (InstanceState state : InstanceState.values()) {
      Gauge.builder(
              "atoll.services.instances",
              () -> services.totals().instances().getOrDefault(state, 0))
          .description("Instances of services")
          .tag("state", state.wire())
          .register(registry);
    }
    counter("atoll.services.requests", "Requests given to instances", Services.Totals::requests)
        .register(registry);
    counter("atoll.services.restarts", "Programs started again", Services.Totals::restarts)
        .register(registry);
    starts("made", Services.Totals::made).register(registry);
    starts("woken", Services.Totals::woken).register(registry);
  }

  private FunctionCounter.Builder<Services> starts(
      String how, ToDoubleFunction<Services.Totals> value) {
    return counter("atoll.services.starts", "Instances started when needed", value).tag("how", how);
  }

  private FunctionCounter.Builder<Services> counter(
      String name, String description, ToDoubleFunction<Services.Totals> value) {
    return FunctionCounter.builder(name, services, source -> value.applyAsDouble(source.totals()))
        .description(description);
  }
}
